"""An act of administration as it was typed, and what a subcommand is."""

import re
from collections.abc import Awaitable, Callable

from fibsd.commands.call import Services
from fibsd.values import frozen
from fibsd.world.account import Account
from fibsd.world.audience import Result
from fibsd.world.changes import MatchRow
from fibsd.world.errors import Refusal, Refused
from fibsd.world.world import World

ADMIN = "admin"
MODERATOR = "moderator"
RIGHTS = frozenset({ADMIN, MODERATOR})

_DURATION = re.compile(r"([0-9]{1,5})([mhd])", re.ASCII)
_SECONDS = {"m": 60, "h": 3600, "d": 86_400}


@frozen(kw_only=True)
class Act:
    """One line of an administrator, without the word `admin`.

    Attributes:
        by: His name; `operator` for one at the machine itself.
        rights: What he may do.
        args: The line after the subcommand.
        now: Unix seconds.
        facts: What the subcommand's `prepare` has found, else None.
    """

    by: str
    rights: frozenset[str]
    args: str
    now: float
    facts: object = None

    @property
    def words(self) -> list[str]:
        """The arguments as single words."""
        return self.args.split()

    def word(self, index: int, what: str) -> str:
        """One argument.

        Raises:
            Refused: It is missing.
        """
        words = self.words
        if index >= len(words):
            raise refused(f"Please give {what}.")
        return words[index]

    def rest(self, index: int) -> str:
        """The text behind so many words."""
        parts = self.args.split(None, index)
        return parts[index] if len(parts) > index else ""


Acting = Callable[[Act, World, Result], tuple[str, ...]]
Preparing = Callable[[Act, World, Services], Awaitable[object]]


@frozen(kw_only=True)
class AdminCommand:
    """One subcommand.

    Attributes:
        name: Its word.
        usage: Its arguments, for the help.
        help: What it does, in a line.
        handler: Does it; gives the lines of the answer.
        prepare: What must be looked up first.
        rights: Who may.
        audited: Whether it is written down (not for mere looking).
    """

    name: str
    usage: str
    help: str
    handler: Acting
    prepare: Preparing | None = None
    rights: frozenset[str] = frozenset({ADMIN})
    audited: bool = True


@frozen(kw_only=True)
class People:
    """Accounts by the words that named them, and unfinished matches of the first."""

    accounts: tuple[Account | None, ...]
    matches: tuple[MatchRow, ...] = ()


def refused(text: str) -> Refused:
    """A refusal in plain words, for administrators."""
    return Refused(Refusal.ADMIN, text=text)


def duration_s(word: str) -> float | None:
    """Seconds of `30m`, `2h`, `7d`; None for `ever`.

    Raises:
        Refused: It is none of these.
    """
    if word == "ever":
        return None
    match = _DURATION.fullmatch(word)
    if match is None:
        raise refused(f"'{word}' is no time: give 30m, 2h, 7d or ever.")
    return int(match[1]) * float(_SECONDS[match[2]])


async def find_people(act: Act, world: World, services: Services) -> People:
    """The accounts that the first two words name, and what the first can still play."""
    accounts = tuple([await services.store.account(word) for word in act.words[:2]])
    first = accounts[0] if accounts else None
    matches = await services.store.unfinished(first.name) if first is not None else ()
    return People(accounts=accounts, matches=matches)


def account_of(act: Act, world: World, index: int) -> Account:
    """The account that a word names, as it is now.

    Raises:
        Refused: There is none.
    """
    word = act.word(index, "a name")
    people = act.facts
    if isinstance(people, People) and index < len(people.accounts):
        stored = people.accounts[index]
        if stored is not None:
            online = world.users.get(stored.name)
            return online.account if online is not None else stored
    raise refused(f"There is no account {word}.")
