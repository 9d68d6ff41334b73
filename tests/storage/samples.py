"""Values to store, and a caller that submits jobs and waits for them."""

from collections.abc import Sequence

import attrs
import trio

from fibsd.backgammon.side import BySide, Side
from fibsd.rating import RatingChange, Standing, rate
from fibsd.storage.store import Job, Outcome, Store
from fibsd.world.account import Account
from fibsd.world.changes import (
    AccountCreated,
    Audit,
    Ban,
    Change,
    EntryAdded,
    MatchFinished,
    MatchStarted,
    MatchTerms,
    Message,
)
from fibsd.world.ids import MatchId, UserName
from fibsd.world.points import BANK, HOUSE, STAKE, START, PointsMoved, PointsOpened, Transfer, pot

ANN, BOB, EVE = UserName("Ann"), UserName("bob"), UserName("Eve")
HASH = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA"
PLAYERS = BySide(o=ANN, x=BOB)
OTHERS = (BANK, HOUSE, *map(pot, (MatchId(1), MatchId(2))), "erased_1", "erased_2")
"""Accounts of the ledger that are no users'."""


def kind(change: Change) -> str:
    """Names a test, alike in every run: sets are printed in any order."""
    return type(change).__name__


@attrs.define
class Caller:
    """Numbers jobs, submits them, and keeps what it is told of them."""

    store: Store
    told: list[Outcome] = attrs.field(factory=list)
    batches: list[int] = attrs.field(factory=list)
    _submitted: int = 0
    _news: trio.Event = attrs.field(factory=trio.Event)

    def start(self) -> "Caller":
        """Start the store."""
        self.store.start(self._on_outcomes)
        return self

    def _on_outcomes(self, outcomes: Sequence[Outcome]) -> None:
        self.told += outcomes
        self.batches.append(len(outcomes))
        self._news.set()
        self._news = trio.Event()

    def submit(self, *changes: Change) -> int:
        """Submit one job and give its number."""
        self._submitted += 1
        self.store.submit(Job(number=self._submitted, changes=changes))
        return self._submitted

    async def outcome(self, number: int) -> Outcome:
        """What became of this job."""
        while len(self.told) < number:
            await self._news.wait()
        outcome = self.told[number - 1]
        assert outcome.number == number
        return outcome

    async def run(self, *changes: Change) -> None:
        """Store the changes as one job; they must be accepted."""
        outcome = await self.outcome(self.submit(*changes))
        assert outcome.error is None, outcome.error

    async def refused(self, *changes: Change) -> str:
        """Submit the changes as one job that must be refused, and give the reason."""
        outcome = await self.outcome(self.submit(*changes))
        assert outcome.error is not None
        return str(outcome.error)

    async def register(self, *names: UserName) -> None:
        """Make accounts."""
        for name in names:
            await self.run(AccountCreated(account=account(name)))


def account(name: str, rating: float = 1500.0, experience: int = 0) -> Account:
    """An account without history."""
    return Account(name=UserName(name), password_hash=HASH, rating=rating, experience=experience, created=1.5)


def started(match: int, names: BySide[UserName] = PLAYERS, at: float = 10.0) -> MatchStarted:
    """A three-point match begins."""
    return MatchStarted(id=MatchId(match), names=names, terms=MatchTerms(length=3), at=at)


def added(match: int, seq: int, entry: str = "O r 6 3", at: float = 11.0) -> EntryAdded:
    """An entry is added."""
    return EntryAdded(id=MatchId(match), seq=seq, entry=entry, at=at)


def finished(
    match: int,
    names: BySide[UserName] = PLAYERS,
    *,
    rating: RatingChange | None = None,
    notices: tuple[Message, ...] = (),
    at: float = 20.0,
    settled: int | None = None,
) -> MatchFinished:
    """X wins 3-1."""
    return MatchFinished(
        id=MatchId(match),
        names=names,
        winner=Side.X,
        score=BySide(o=1, x=3),
        rating=rating,
        notices=notices,
        at=at,
        settled=settled,
    )


def transfer(giver: str, taker: str, amount: int, reason: str = STAKE, match: int | None = None) -> Transfer:
    """Points that go from one to the other."""
    of = None if match is None else MatchId(match)
    return Transfer(giver=giver, taker=taker, amount=amount, reason=reason, match=of, at=16.5)


def opened(name: str, amount: int = 100) -> PointsOpened:
    """A user's first points."""
    return PointsOpened(transfer=transfer(BANK, name, amount, START))


def staked(match: int, *names: str, amount: int = 40) -> PointsMoved:
    """These players set points aside for the match."""
    return PointsMoved(transfers=tuple(transfer(name, pot(MatchId(match)), amount, STAKE, match) for name in names))


def rated(winner: UserName, loser: UserName) -> RatingChange:
    """What a three-point match does to two newcomers."""
    return rate(
        Standing(name=winner, rating=1500.0, experience=0),
        Standing(name=loser, rating=1500.0, experience=0),
        3,
    )


def message(number: int, to: UserName = BOB, text: str = "hello") -> Message:
    """A message from Ann."""
    return Message(id=number, to=to, sender=ANN, at=12.25, text=text)


def ban(number: int, *, name: UserName | None = BOB, network: str | None = None, by: str = ANN) -> Ban:
    """A ban of bob by Ann, for ever."""
    return Ban(id=number, name=name, network=network, until=None, reason="noise", by=by, at=14.5)


def audit(act: str, at: float = 15.5) -> Audit:
    """Ann did something about bob."""
    return Audit(at=at, by=ANN, act=act, subject=BOB, details="as asked")


async def everything(store: Store, *names: UserName) -> tuple[object, ...]:
    """What the store gives back about these users (Ann, bob and Eve) and the first matches."""
    names = names or (ANN, BOB, EVE)
    return (
        await store.next_ids(),
        await store.accounts(),
        *[await store.arrival(name) for name in names],
        *[await store.unfinished(name) for name in names],
        *[await store.last_match(name) for name in names],
        *[await store.messages(name) for name in names],
        *[await store.rank(name, min_experience=0) for name in names],
        *[await store.match(MatchId(number)) for number in range(1, 4)],
        *[await store.settlement(MatchId(number)) for number in range(1, 4)],
        *[await store.balance(account) for account in (*names, *OTHERS)],
        await store.untouched(1e9, 0, 100),
        await store.ranking(1, 100, min_experience=0),
        await store.counts(),
        await store.bans(),
        await store.audits(100),
        *[await store.text(key) for key in ("motd", "rules")],
        await store.rolls(),
    )
