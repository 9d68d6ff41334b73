"""What happens before somebody is logged in: banner, three ways in, registration (reference 1.1 to 1.6)."""

import enum
import re
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from functools import lru_cache
from typing import Protocol

import attrs
import structlog

from fibsd.protocol.clock import asctime
from fibsd.protocol.messages import own
from fibsd.protocol.messages import session as say
from fibsd.protocol.viewer import View
from fibsd.protocol.views import lines_of
from fibsd.session.session import End, Session
from fibsd.storage.store import Arrival, StoreError
from fibsd.values import frozen
from fibsd.world.account import Account
from fibsd.world.events import SaidGoodbye
from fibsd.world.ids import NAME_LIMIT, RESERVED_NAMES, UserName
from fibsd.world.lobby import SessionKind

log = structlog.get_logger()

MIN_PASSWORD = 4
CLIENT_LIMIT = 40
_NAME = re.compile(r"[A-Za-z_]+", re.ASCII)
_HTTP = re.compile(r"(GET|HEAD|POST|PUT|OPTIONS|CONNECT) \S+ HTTP/\d", re.ASCII)

ART = (
    r"   _____ ___ ____ ____     _ ",
    r"  |  ___|_ _| __ ) ___|  _| |",
    r"  | |_   | ||  _ \___ \ / _` |",
    r"  |  _|  | || |_) |__) | (_| |",
    r"  |_|   |___|____/____/ \__,_|",
)
RULES = (
    "Be friendly, finish your matches, and play one account only.",
    "Connect with any FIBS client, or with plain telnet.",
    "Type 'help' once you are logged in.",
)
WELCOME_GUEST = (
    "Welcome to FIBS. You just logged in as guest.",
    "Please register before using this server:",
    "",
    "Type 'name username' where name is the word 'name' and ",
    "username is the login name you want to use.",
    "The username may not contain blanks ' ' or colons ':'.",
    "The system will then ask you for your password twice.",
    "Please make sure that you don't forget your password. All",
    "passwords are encrypted before they are saved. If you forget",
    "your password there is no way to find out what it was.",
    "Please type 'bye' if you don't want to register now.",
    "",
    "ONE USERNAME PER PERSON ONLY!!!",
    "",
)


class Step(enum.Enum):
    """What the dialog waits for."""

    LOGIN = "a name, `guest`, `login …`, `connect …` or `recover …`"
    PASSWORD = "the password"  # noqa: S105 - no password
    GUEST = "`name …` or `bye`"
    NEW_PASSWORD = "the password of a new account"  # noqa: S105 - no password
    RETYPED = "the same password again"
    DONE = "nothing: somebody is logged in, or the session ends"


@frozen
class WayIn:
    """How a user logs in.

    Attributes:
        kind: Which form of FIBS his session speaks.
        client: What a CLIP client calls itself, else None.
        alerts: Whether it knows message 20.
    """

    kind: SessionKind
    client: str | None = None
    alerts: bool = False


@frozen
class Proven:
    """Somebody who has proven that he is the user that he says he is.

    Attributes:
        account: The account, as it was then.
        found: What was read together with it; None if that was too little.
        since: The job up to which all of that was stored for certain.
    """

    account: Account
    found: Arrival | None = None
    since: int = 0


class Gate(Protocol):
    """What the dialog needs of the server."""

    def now(self) -> float:
        """Unix seconds."""

    def looking(self) -> AbstractContextManager[int]:
        """Within the block what was read of somebody need not be read again, unless it has changed.

        Gives:
            The job up to which all that is read in the block is stored.
        """

    async def authenticate(self, name: str, password: str, peer: str, since: int) -> Proven | None:
        """Who it is, if the password is right; `since` is that of `looking`."""

    async def owner(self, name: str, code: str, peer: str) -> Account | None:
        """The account, if the recovery code is right."""

    async def recover(self, account: Account, password: str) -> Account | None:
        """The account with a new password, stored; None if its recovery code does not count any more."""

    def may_register(self, peer: str) -> bool:
        """Whether one more new account may come from this address."""

    async def name_is_free(self, name: str) -> bool:
        """Whether nobody has this name, in any letter case."""

    async def register(self, name: UserName, password: str) -> Account | None:
        """A new account that is stored; None if the name was taken meanwhile."""

    def refused(self, reason: str) -> None:
        """A login was refused: for the operator's figures, so the reason is one of a few words."""

    def banned(self, name: str, peer: str) -> bool:
        """Whether this user, or anybody from this address, is kept out."""

    async def enter(self, session: Session, proven: Proven, way: WayIn, *, registered: bool = False) -> bool:
        """Put a user on-line; False if name or password have changed since they were checked."""


@attrs.define(kw_only=True)
class LoginDialog:
    """The talk of one session before login.

    Attributes:
        session: Which one.
        gate: The server.
        operator: Name of the operator, for the banner.
        email: His address.
        attempts: Failed logins after which the session is closed.
    """

    session: Session
    gate: Gate
    operator: str
    email: str
    attempts: int
    step: Step = Step.LOGIN
    failures: int = 0
    _name: str = ""
    _password: str = ""

    # --- what is said ------------------------------------------------------------------------------------------

    def greet(self) -> None:
        """The banner; nothing may follow the prompt (two clients compare the rest of their buffer)."""
        now = self.gate.now()
        local = datetime.fromtimestamp(now, UTC).astimezone().strftime("%A, %B %d %H:%M:%S %Z")
        date = say.BANNER_DATE(local=local, date=asctime(now)) + "\r\n"
        self.session.write(_banner(self.operator, self.email) + date + say.LOGIN_PROMPT())

    def line_too_long(self) -> None:
        """Nothing that long is a login."""
        log.info("line too long")
        self._say("", own.OWN_LINE_TOO_LONG(n=self.session.splitter.limit))
        self.session.end(End.AFTER_OUTPUT)

    def _say(self, *lines: str) -> None:
        self.session.write("".join(line + "\r\n" for line in lines))

    # --- what is typed -----------------------------------------------------------------------------------------

    async def line(self, text: str) -> None:
        """Handle one line."""
        try:
            await self._line(text)
        except StoreError:
            if self.session.user is not None:
                raise
            log.exception("store cannot be read")
            self._say("", own.OWN_NOT_READABLE())
            self._leave()

    async def _line(self, text: str) -> None:
        self.session.unhide()
        if self.step is Step.LOGIN:
            await self._login(text)
        elif self.step is Step.PASSWORD:
            self.step = Step.LOGIN
            await self._try(self._name, text, WayIn(SessionKind.TELNET))
        elif self.step is Step.GUEST:
            await self._guest(text)
        elif self.step is Step.NEW_PASSWORD:
            self._new_password(text)
        elif self.step is Step.RETYPED:
            await self._retyped(text)

    async def _login(self, text: str) -> None:
        words = text.split()
        if not words:
            self.session.write(say.LOGIN_PROMPT())
        elif _HTTP.match(text):
            log.info("wrong protocol")
            self.session.output.clear()
            self._say("HTTP/1.0 400 Bad Request", "Connection: close", "", "This is a FIBS server, not a web server.")
            self._leave()
        elif words[0] == "login":
            # A password may have blanks: whoever typed it at its own prompt must get in by every way.
            if len(words := text.split(maxsplit=4)) == 5:
                await self._try(words[3], words[4].rstrip(), _clip(words[1], words[2]))
            else:
                self._failed(SessionKind.CLIP, "wrong form")
        elif words[0] == "connect":
            if len(words := text.split(maxsplit=2)) == 3:
                await self._try(words[1], words[2].rstrip(), WayIn(SessionKind.CONNECT))
            else:
                self._failed(SessionKind.CONNECT, "wrong form")
        elif words[0] == "recover":
            await self._recover(words[1:])
        elif words[0] == "guest":
            self._say(*WELCOME_GUEST)
            self.session.write(say.GUEST_PROMPT())
            self.step = Step.GUEST
        else:
            self._name = words[0]
            self.session.hide()
            self.session.write(say.PASSWORD_PROMPT())
            self.step = Step.PASSWORD

    async def _try(self, name: str, password: str, way: WayIn) -> None:
        self.session.flush()
        with self.gate.looking() as since:
            proven = await self.gate.authenticate(name, password, self.session.peer, since)
            if proven is None:
                self._failed(way.kind, "wrong name or password")
            elif self.gate.banned(proven.account.name, self.session.peer):
                self._say(*([] if way.kind is SessionKind.TELNET else [""]), say.LOGIN_DENIED())
                self._failed(SessionKind.CLIP, "banned")
            else:
                await self._come_in(proven, way)

    async def _come_in(self, proven: Proven, way: WayIn, *, registered: bool = False) -> None:
        self.step = Step.DONE
        if not await self.gate.enter(self.session, proven, way, registered=registered):
            self.step = Step.LOGIN
            self._failed(way.kind, "wrong name or password")

    async def _recover(self, words: list[str]) -> None:
        """A new password in exchange for the recovery code, and in."""
        if len(words) != 3:
            self._failed(SessionKind.TELNET, "wrong form", own.OWN_RECOVER_USAGE())
            return
        name, code, password = words
        if len(password) < MIN_PASSWORD or ":" in password:
            self._failed(SessionKind.TELNET, "wrong form", own.OWN_PASSWORD_SHORT())
            return
        self.session.flush()
        account = await self.gate.owner(name, code, self.session.peer)
        if account is not None and self.gate.banned(account.name, self.session.peer):
            self._failed(SessionKind.TELNET, "banned", say.LOGIN_DENIED())
            return
        recovered = None if account is None else await self.gate.recover(account, password)
        if recovered is None:
            self._failed(SessionKind.TELNET, "wrong name or recovery code", own.OWN_RECOVER_WRONG())
            return
        await self._come_in(Proven(recovered), WayIn(SessionKind.TELNET))

    def _failed(self, kind: SessionKind, reason: str, told: str | None = None) -> None:
        """Programs know a failed login by the second prompt; people are told."""
        self.failures += 1
        log.info("login refused", reason=reason, failures=self.failures)
        self.gate.refused(reason)
        if kind is SessionKind.TELNET:
            self._say(told or say.LOGIN_WRONG())
        self.session.write("\r\n" + say.LOGIN_PROMPT())
        if self.failures >= self.attempts:
            self._leave()

    def _leave(self) -> None:
        self.step = Step.DONE
        self.session.end(End.AFTER_OUTPUT)

    # --- registration ------------------------------------------------------------------------------------------

    async def _guest(self, text: str) -> None:
        word, _, rest = text.strip().partition(" ")
        if word == "bye":
            self._say(*lines_of(SaidGoodbye(), View(kind=SessionKind.TELNET)))
            self._leave()
        elif word == "name":
            await self._choose(rest.strip())
        else:
            self._say(*WELCOME_GUEST)
            self.session.write(say.GUEST_PROMPT())

    async def _choose(self, name: str) -> None:
        refusal = None
        if self.gate.banned("", self.session.peer):
            refusal = say.REG_SITE_BANNED()
        elif not _NAME.fullmatch(name):
            refusal = say.REG_BAD_NAME()
        elif len(name) > NAME_LIMIT:
            refusal = say.REG_LONG_NAME()
        elif name.lower() in RESERVED_NAMES or not await self.gate.name_is_free(name):
            refusal = say.REG_NAME_USED(name=name)
        if refusal is not None:
            self._again_as_guest(refusal)
            return
        self._name = name
        self._say(say.REG_NAME(name=name), say.REG_TYPE_NO())
        self._ask_password()

    def _again_as_guest(self, refusal: str) -> None:
        self._say(refusal)
        self.session.write(say.GUEST_PROMPT())
        self.step = Step.GUEST

    def _ask_password(self) -> None:
        self.session.hide()
        self.session.write(say.REG_PASSWORD())
        self.step = Step.NEW_PASSWORD

    def _new_password(self, text: str) -> None:
        if not text:
            self._again_as_guest(say.REG_NO_PASSWORD())
            return
        if len(text) < MIN_PASSWORD:
            self._say(say.REG_SHORT_PASSWORD())
            self._ask_password()
            return
        if ":" in text:
            self._say(say.REG_COLON())
            self._ask_password()
            return
        self._password = text
        self.session.hide()
        self.session.write(say.REG_RETYPE())
        self.step = Step.RETYPED

    async def _retyped(self, text: str) -> None:
        if text != self._password:
            self._password = ""
            self.session.hide()
            self.session.write(say.REG_DIFFER())
            self.step = Step.NEW_PASSWORD
            return
        if not self.gate.may_register(self.session.peer):
            self._password = ""
            log.warning("registration refused")
            self._again_as_guest(own.OWN_TOO_MANY_ACCOUNTS())
            return
        self.session.flush()
        account = await self.gate.register(UserName(self._name), text)
        self._password = ""
        if account is None:
            self._again_as_guest(say.REG_NAME_USED(name=self._name))
            return
        await self._come_in(Proven(account), WayIn(SessionKind.TELNET), registered=True)


@lru_cache(maxsize=1)
def _banner(operator: str, email: str) -> str:
    """All but the date, the same for everybody: made anew each time it took 7 of the 12 us of a greeting."""
    lines = (
        "",
        say.BANNER_WELCOME(),
        *(say.BANNER_ART(drawing=row) for row in ART),
        "",
        say.BANNER_MAIL(),
        say.BANNER_ADDRESS(email=email, text=operator),
        say.BANNER_BUGS(),
        "",
        *(say.BANNER_RULES(text=rule) for rule in RULES),
        " ",
        say.BANNER_GUEST(),
        say.BANNER_ONE_ACCOUNT(),
        "",
    )
    return "".join(line + "\r\n" for line in lines)


def _clip(client: str, version: str) -> WayIn:
    """A CLIP login; unknown versions count as 1008, which has no message 20."""
    return WayIn(SessionKind.CLIP, client[:CLIENT_LIMIT], alerts=version == "1009")
