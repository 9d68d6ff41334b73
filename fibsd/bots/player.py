"""A program that plays: it logs in over the wire like any other client, and stays until it is cancelled."""

import re
from collections.abc import Callable

import attrs
import trio

from fibsd.bots.mind import Mind
from fibsd.values import frozen

CLIENT = "fibsd-bot"
CLIP_VERSION = "1008"
PATIENCE_S = 60.0
"""So long the dialog of a login may take."""
TICK_S = 5.0
BACKOFF_S, LONGEST_BACKOFF_S = 1.0, 60.0
"""The first pause before connecting again, doubled each time up to the longest."""
STEADY_S = 60.0
"""A connection that lasted so long was a good one: the next pause is the first again."""
GOODBYE_S = 1.0
LINE_LIMIT = 100_000
"""Longer than any line of a server."""

_TELNET = re.compile(rb"\xff[\xfb-\xfe].|\xff[\xf0-\xfa]", re.DOTALL)


class WrongPassword(Exception):
    """The server does not know the name, or not with this password."""


class NotRegistered(Exception):
    """The server does not make an account of that name; the text is its answer."""


class Lost(Exception):
    """The connection has ended, or is none to a FIBS server."""


@frozen(kw_only=True)
class Player:
    """With what a bot logs in, and where.

    Attributes:
        host: Name or address of the server.
        port: Where it listens for plain connections.
        name: Of the account.
        password: Kept out of every text.
        register: Whether the account is made if the server does not know it.
        tell: Called with a line for the operator when something has happened.
    """

    host: str
    port: int
    name: str
    password: str = attrs.field(repr=False)
    register: bool = False
    tell: Callable[[str], None]

    async def play(self) -> None:
        """Play until cancelled; after a lost connection connect again, after a while.

        Raises:
            WrongPassword: The server refuses the login, and the account was not to be made.
            NotRegistered: The server refuses to make the account.
        """
        pause = BACKOFF_S
        while True:
            began = trio.current_time()
            try:
                await self._one_connection()
            except trio.TooSlowError:
                self.tell("the server does not answer")
            except (Lost, OSError, trio.BrokenResourceError) as error:
                self.tell(f"no connection: {error or 'it broke'}")
            if trio.current_time() - began >= STEADY_S:
                pause = BACKOFF_S
            await trio.sleep(pause)
            pause = min(2 * pause, LONGEST_BACKOFF_S)

    async def _one_connection(self) -> None:
        try:
            await self._log_in_and_play()
        except WrongPassword:
            if not self.register:
                raise
            await self._register()
            await self._log_in_and_play()

    async def _log_in_and_play(self) -> None:
        async with await trio.open_tcp_stream(self.host, self.port) as stream:
            wire = Wire(stream)
            with trio.fail_after(PATIENCE_S):
                await wire.until("login: ")
                await wire.send(f"login {CLIENT} {CLIP_VERSION} {self.name} {self.password}")
                if await wire.until("login: ", "\n1 ") == "login: ":
                    raise WrongPassword("wrong name or password")
            self.tell("logged in")
            mind = Mind(self.name)
            try:
                await converse(wire, mind)
            finally:
                # Who says goodbye in a match has left it himself; a lost connection is nobody's fault.
                if not mind.in_match:
                    with trio.move_on_after(GOODBYE_S, shield=True):
                        await wire.say_goodbye()

    async def _register(self) -> None:
        """Make the account by the dialog for guests."""
        async with await trio.open_tcp_stream(self.host, self.port) as stream:
            wire = Wire(stream)
            with trio.fail_after(PATIENCE_S):
                await wire.until("login: ")
                await wire.send("guest")
                await wire.until("> ")
                await wire.send(f"name {self.name}")
                for _ in range(2):
                    await _password_asked_for(wire)
                    await wire.send(self.password)
                if await wire.until("You are registered", "** ", "assword: ") != "You are registered":
                    raise NotRegistered(await wire.rest_of_line())
                await wire.say_goodbye()
        self.tell("registered")


async def _password_asked_for(wire: "Wire") -> None:
    if await wire.until("assword: ", "** ", "Minimal ", "Your password ", "Your site ") != "assword: ":
        raise NotRegistered(await wire.rest_of_line())


async def converse(wire: "Wire", mind: Mind) -> None:
    """Hand lines to the mind and send what it answers, until the connection ends.

    Raises:
        Lost: It has ended.
    """
    while True:
        line = None
        with trio.move_on_after(TICK_S):
            line = await wire.line()
        now = trio.current_time()
        for answer in mind.wait(now) if line is None else mind.hear(line, now):
            await wire.send(answer)


@attrs.define(eq=False)
class Wire:
    """Lines to and from the server. A read that is cancelled loses nothing."""

    stream: trio.abc.Stream
    _pending: bytes = b""

    async def send(self, line: str) -> None:
        """Send a line."""
        await self.stream.send_all(line.encode("ascii", "replace") + b"\r\n")

    async def line(self) -> str:
        """The next line, without its end.

        Raises:
            Lost: There will be none.
        """
        while b"\n" not in self._pending:
            await self._more()
        raw, _, self._pending = self._pending.partition(b"\n")
        return raw.rstrip(b"\r").decode("latin-1").replace("\a", "")

    async def until(self, *texts: str) -> str:
        """Drop all up to the first of these texts, and the text itself; which one it was.

        A text that begins with the end of a line stands at the beginning of one.
        """
        while True:
            places = [(place, text) for text in texts if (place := self._pending.find(text.encode())) >= 0]
            if places:
                place, text = min(places)
                self._pending = self._pending[place + len(text) :]
                return text
            await self._more()

    async def rest_of_line(self) -> str:
        """What follows up to the end of the line."""
        return (await self.line()).strip()

    async def say_goodbye(self) -> None:
        """Leave politely, if the server still listens."""
        try:
            await self.send("bye")
            while True:
                self._pending = b""
                await self._more()
        except (Lost, trio.BrokenResourceError, trio.ClosedResourceError):
            pass

    async def _more(self) -> None:
        if len(self._pending) > LINE_LIMIT:
            raise Lost("the server sends no lines")
        data = await self.stream.receive_some(65536)
        if not data:
            raise Lost("the server has closed it")
        self._pending = _TELNET.sub(b"", self._pending + bytes(data))
