"""A command as it was typed, as a frozen value that could travel between processes."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from fibsd.storage.store import Store
from fibsd.values import frozen
from fibsd.world.audience import Result, ToSession
from fibsd.world.events import Event, Text
from fibsd.world.ids import SessionId, UserName
from fibsd.world.lobby import Presence
from fibsd.world.world import World


@frozen
class Call:
    """One line that a logged-in user typed.

    Attributes:
        session: Where it was typed.
        user: By whom.
        word: The command word as typed.
        args: The rest of the line, without blanks at its ends.
        now: Unix seconds.
        ticks: The same moment on a clock that is never set back, see `Result.ticks`.
        facts: What the command's `prepare` has found in the store, else None.
    """

    session: SessionId
    user: UserName
    word: str
    args: str
    now: float
    ticks: float = 0.0
    facts: object = None

    @property
    def words(self) -> list[str]:
        """The arguments as single words."""
        return self.args.split()

    @property
    def me(self) -> ToSession:
        """The address of the session that typed it."""
        return ToSession(self.session)

    def result(self) -> Result:
        """An empty result for this call."""
        return Result(now=self.now, ticks=self.ticks)

    def reply(self, *lines: str) -> Result:
        """A result that says these lines to the session and does nothing else."""
        return self.say(Text(lines))

    def say(self, *events: Event) -> Result:
        """A result that tells these events to the session and does nothing else."""
        result = self.result()
        result.tell(self.me, *events)
        return result


class Passwords(Protocol):
    """Hashing, which is slow on purpose and runs aside, and codes to be hashed."""

    async def verify(self, password_hash: str, password: str) -> bool:
        """Whether the password fits the hash."""

    async def hash(self, password: str) -> str:
        """A new hash of the password."""

    def outdated(self, password_hash: str) -> bool:
        """Whether the hash was made at another cost than is set now."""

    def new_code(self) -> str:
        """A recovery code that nobody can guess."""


class OwnPasswords(Protocol):
    """The passwords of users who are on-line."""

    async def proven(self, me: Presence, password: str) -> str | None:
        """The hash that the password is right for; None if it is wrong. Who guesses waits longer each time.

        By the time that the command is run, the user's hash may be another one.
        """

    async def hash(self, password: str) -> str:
        """A new hash of a password, in turn with those of all other users who are on-line."""


@frozen(kw_only=True)
class Services:
    """What the waiting part of a command may use.

    Attributes:
        store: Where everything is kept.
        passwords: Hashing.
        own_passwords: What a user's command asks about his own password.
        new_password: Makes up one that nobody can guess.
        memory_bytes: Tells how much memory the server uses.
    """

    store: Store
    passwords: Passwords
    own_passwords: OwnPasswords
    new_password: Callable[[], str]
    memory_bytes: Callable[[], int]


Handler = Callable[[Call, World], Result]
Prepare = Callable[[Call, World, Services], Awaitable[object]]
