"""The interface of a store: what every kind of it promises."""

from collections.abc import Callable, Sequence
from typing import Protocol

from fibsd.values import frozen
from fibsd.world.account import Account
from fibsd.world.changes import Audit, Ban, Booked, Change, MatchRow, Message
from fibsd.world.ids import MatchId, UserName


class StoreError(Exception):
    """The store refused a job or cannot be opened; the text is fit for a log line."""


class SchemaMismatch(StoreError):
    """The data are of another schema version than this program; `fibsd db upgrade` helps."""


class StoreLocked(StoreError):
    """Another server uses the same data."""


@frozen
class Job:
    """Changes that are stored together or not at all.

    Attributes:
        number: Counts from 1 without gaps, in the order of submission.
        changes: At least one.
    """

    number: int
    changes: tuple[Change, ...]


@frozen
class Outcome:
    """What became of the job with this number: stored (error None), or refused for good."""

    number: int
    error: StoreError | None = None


@frozen(kw_only=True)
class NextIds:
    """The first numbers that are free in the store."""

    match: int
    message: int
    ban: int = 1


@frozen(kw_only=True)
class Ranked:
    """One row of the ratings list; `rank` counts from 1, None for a user who is not ranked."""

    rank: int | None
    name: UserName
    rating: float
    experience: int


@frozen(kw_only=True)
class Settlement:
    """What the end of a match has booked.

    Attributes:
        ratings: What it did to ratings and experience; none if the match was not rated.
        points: How many play points each account of the ledger got (or gave, below 0) by it.
    """

    ratings: tuple[Booked, ...]
    points: tuple[tuple[str, int], ...]


@frozen(kw_only=True)
class Counts:
    """Figures about the whole store."""

    accounts: int
    saved_matches: int
    finished_matches: int


@frozen(kw_only=True)
class Arrival:
    """What is kept of a user who comes in, all of one moment.

    Attributes:
        account: His account.
        unfinished: See `Store.unfinished`; none if one of them is damaged.
        fault: What is wrong with that one.
        messages: See `Store.messages`.
        points: See `Store.balance`.
    """

    account: Account
    unfinished: tuple[MatchRow, ...] = ()
    fault: StoreError | None = None
    messages: tuple[Message, ...] = ()
    points: int | None = None


class Store(Protocol):
    """Reads are async and give frozen values; writing is `submit`, whose outcomes arrive in order of number.

    `on_outcomes` is called on the trio thread, never while the caller is inside another method than `submit` or
    `catch_up`. A store that commits at once may call it before `submit` returns.
    """

    def start(self, on_outcomes: Callable[[Sequence[Outcome]], None]) -> None:
        """Begin to take jobs; to be called once, inside trio."""

    def submit(self, job: Job) -> None:
        """Queue a job; never blocks, never raises for what is in it."""

    def catch_up(self) -> None:
        """Tell the outcomes that there are, which are told at the loop's next turn otherwise."""

    def waiting_s(self) -> float:
        """For how many seconds the oldest job has been failing for want of the store; 0.0 if all is well."""

    def trouble(self) -> str | None:
        """Why it has been failing, fit for a log line; None if all is well."""

    async def close(self, timeout_s: float) -> bool:
        """Write what is queued and close; False if the time did not suffice."""

    async def next_ids(self) -> NextIds:
        """The first free numbers."""

    async def account(self, name: str) -> Account | None:
        """The account of exactly this name, else the one that differs only in letter case."""

    async def arrival(self, name: str) -> Arrival | None:
        """All that is needed of a user who comes in, looked up at once; None if there is no such `account`."""

    async def accounts(self) -> tuple[Account, ...]:
        """All accounts by name."""

    async def unfinished(self, name: UserName) -> tuple[MatchRow, ...]:
        """The user's matches that can still be played, oldest first."""

    async def last_match(self, name: UserName) -> MatchRow | None:
        """The match of this user with the newest journal entry, finished or not."""

    async def messages(self, name: UserName) -> tuple[Message, ...]:
        """What waits for this user, oldest first."""

    async def ranking(self, first: int, last: int, *, min_experience: int) -> tuple[Ranked, ...]:
        """Ranks `first` to `last` (from 1) among accounts of at least this experience, best rating first."""

    async def rank(self, name: UserName, *, min_experience: int) -> Ranked | None:
        """The user's own row; None if there is no such account."""

    async def counts(self) -> Counts:
        """Figures about the whole store."""

    async def bans(self) -> tuple[Ban, ...]:
        """All bans, ended ones too, by number."""

    async def audits(self, last: int) -> tuple[Audit, ...]:
        """The newest acts of administrators, at most so many, oldest of them first."""

    async def text(self, key: str) -> str | None:
        """A text that was set, or None."""

    async def match(self, match_id: MatchId) -> MatchRow | None:
        """One match with its whole journal, finished or not."""

    async def balance(self, account: str) -> int | None:
        """The play points of an account of the ledger, whose name is taken to the letter; None if it never had any."""

    async def settlement(self, match_id: MatchId) -> Settlement:
        """What the end of this match has booked, as far as it was not reversed."""

    async def untouched(self, since: float, after: int, most: int) -> tuple[MatchRow, ...]:
        """Matches that can still be played and were not touched since that Unix second.

        They come by number, from the one behind `after`, at most so many.
        """

    async def rolls(self) -> tuple[tuple[int, int, int], ...]:
        """All rolls ever counted: (first die, second die, how often)."""
