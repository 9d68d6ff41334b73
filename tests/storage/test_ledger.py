"""Play points and settled matches: what every `Store` does, asked of each kind."""

from collections.abc import Sequence

import pytest

from fibsd.storage.store import Settlement
from fibsd.world.changes import AccountErased, AccountRenamed, Booked, Change, MatchReversed, MatchVoided
from fibsd.world.ids import MatchId, UserName
from fibsd.world.points import BANK, FEE, HOUSE, RETURNED, REVERSED, WON, PointsMoved, pot

from . import samples
from .samples import ANN, BOB, EVE, PLAYERS, Caller

ONE = MatchId(1)
POT = pot(ONE)


async def balances(caller: Caller, *accounts: str) -> list[int | None]:
    """What these have."""
    return [await caller.store.balance(account) for account in accounts]


async def check_sum(caller: Caller) -> None:
    """All accounts that any test here has, together."""
    everybody = (ANN, BOB, EVE, "Anna", *samples.OTHERS)
    assert sum(points or 0 for points in await balances(caller, *everybody)) == 0


async def test_nobody_has_points_at_first(players: Caller) -> None:
    """That is not the same as having none left."""
    assert await balances(players, ANN, BANK, HOUSE, POT) == [None] * 4
    assert await players.store.settlement(ONE) == Settlement(ratings=(), points=())


async def test_first_points_come_from_the_bank_once(players: Caller) -> None:
    """A second opening changes nothing, even after the first points are spent, nor does one for nobody."""
    await players.run(samples.opened(ANN), samples.opened(BOB, 70))
    await players.run(samples.started(1), samples.staked(1, ANN, amount=100))
    await players.run(samples.opened(ANN), samples.opened(ANN, 500), samples.opened("nobody"))
    assert await balances(players, ANN, BOB, BANK, POT, "nobody") == [0, 70, -170, 100, None]
    await check_sum(players)


async def test_what_one_transfer_brings_the_next_can_give(players: Caller) -> None:
    """Within a job as well."""
    await players.run(samples.opened(ANN))
    moves = (samples.transfer(ANN, BOB, 100), samples.transfer(BOB, EVE, 90), samples.transfer(EVE, ANN, 90))
    await players.run(PointsMoved(transfers=moves))
    assert await balances(players, ANN, BOB, EVE) == [90, 10, 0]


@pytest.mark.parametrize(
    "transfers",
    [
        [samples.transfer(ANN, POT, 101)],
        [samples.transfer(EVE, POT, 1)],
        [samples.transfer(HOUSE, ANN, 1)],
        [samples.transfer(POT, ANN, 1)],
        [samples.transfer(ANN, POT, 60), samples.transfer(ANN, POT, 60)],
        [samples.transfer(BANK, ANN, 0)],
        [samples.transfer(BANK, ANN, -5)],
        [samples.transfer(ANN, ANN, 5)],
    ],
    ids=repr,
)
async def test_nobody_gives_what_he_has_not_got(players: Caller, transfers: Sequence[object]) -> None:
    """Nor nothing, nor to himself: the whole job is refused."""
    await players.run(samples.opened(ANN))
    before = await samples.everything(players.store)
    await players.refused(samples.started(1), PointsMoved(transfers=tuple(transfers)))  # type: ignore[arg-type]
    assert await samples.everything(players.store) == before


async def test_points_follow_to_another_name(players: Caller) -> None:
    """The old name has had nothing."""
    await players.run(samples.opened(ANN), AccountRenamed(name=ANN, new_name=UserName("Anna")))
    assert await balances(players, ANN, "Anna", BANK) == [None, 100, -100]
    await players.run(samples.opened("Anna"))
    assert await balances(players, "Anna") == [100]


async def test_points_of_an_erased_account_go_back_to_the_bank(players: Caller) -> None:
    """Who takes the name later begins anew."""
    await players.run(samples.opened(EVE), samples.opened(BOB), AccountErased(name=EVE, at=30.0))
    assert await balances(players, EVE, "erased_1", BANK) == [None, 0, -100]
    await players.run(AccountErased(name=ANN, at=31.0))
    assert await balances(players, "erased_2", BANK) == [None, -100]
    await players.register(EVE)
    await players.run(samples.opened(EVE, 30))
    assert await balances(players, EVE, BANK) == [30, -130]
    await check_sum(players)


async def test_stakes_of_a_match_that_leaves_no_trace(players: Caller) -> None:
    """Only the ledger remembers it."""
    await players.run(samples.opened(ANN), samples.opened(BOB))
    await players.run(samples.started(1), samples.staked(1, ANN, BOB))
    back = tuple(samples.transfer(POT, name, 40, RETURNED, 1) for name in (ANN, BOB))
    await players.run(MatchVoided(id=ONE), PointsMoved(transfers=back))
    assert await balances(players, ANN, BOB, POT) == [100, 100, 0]
    assert (await players.store.settlement(ONE)).points == ()


def won() -> list[Change]:
    """Bob has won match 1, settled after one entry."""
    return [
        samples.finished(1, rating=samples.rated(BOB, ANN), settled=1),
        PointsMoved(transfers=(samples.transfer(POT, BOB, 76, WON, 1), samples.transfer(POT, HOUSE, 4, FEE, 1))),
    ]


def reversal(settlement: Settlement, at: float = 50.0) -> list[Change]:
    """All of that taken back."""
    back = tuple(
        samples.transfer(account, POT, amount, REVERSED, 1) for account, amount in settlement.points if amount > 0
    )
    reverse = MatchReversed(id=ONE, names=PLAYERS, settled=1, ratings=settlement.ratings, at=at)
    return [reverse, PointsMoved(transfers=back)]


@pytest.fixture
async def settled(players: Caller) -> Caller:
    """Both have points, and their match was settled."""
    await players.run(samples.opened(ANN), samples.opened(BOB))
    await players.run(samples.started(1), samples.staked(1, ANN, BOB), samples.added(1, 0))
    await players.run(samples.added(1, 1, "X f 3"), *won())
    return players


async def test_settlement_tells_what_was_booked(settled: Caller) -> None:
    """Ratings, experience and points."""
    change = samples.rated(BOB, ANN)
    assert await settled.store.settlement(ONE) == Settlement(
        ratings=(
            Booked(name=ANN, before=1500.0, after=change.loser.rating_after, experience=3),
            Booked(name=BOB, before=1500.0, after=change.winner.rating_after, experience=3),
        ),
        points=((HOUSE, 4), (BOB, 76), (POT, -80)),
    )
    row = await settled.store.match(ONE)
    assert row is not None
    assert (row.settled, row.finished) == (1, 20.0)


async def test_reversal_takes_back_exactly_what_was_booked(settled: Caller) -> None:
    """The match is a saved one, as it was before, but touched at the reversal; it can be settled again."""
    before = await samples.everything(settled.store)
    settlement = await settled.store.settlement(ONE)
    await settled.run(*reversal(settlement))
    for name in (ANN, BOB):
        account = await settled.store.account(name)
        assert account is not None
        assert (account.rating, account.experience) == (1500.0, 0)
    (row,) = await settled.store.unfinished(BOB)
    assert (row.entries, row.settled, row.finished, row.touched) == (("O r 6 3",), None, None, 50.0)
    assert await balances(settled, ANN, BOB, HOUSE, POT) == [60, 60, 0, 80]
    assert await settled.store.settlement(ONE) == Settlement(ratings=(), points=())
    await check_sum(settled)
    await settled.refused(*reversal(settlement))
    await settled.run(samples.added(1, 1, "X f 3"), *won())
    assert (await samples.everything(settled.store))[1:4] == before[1:4]
    assert await settled.store.settlement(ONE) == settlement


async def test_reversal_leaves_what_was_won_meanwhile(settled: Caller) -> None:
    """Ratings are changed by as much as was booked, not set back to what they were; never below 0."""
    await settled.run(samples.started(2), samples.finished(2, rating=_later()))
    settlement = await settled.store.settlement(ONE)
    await settled.run(*reversal(settlement))
    ann, bob = await settled.store.account(ANN), await settled.store.account(BOB)
    assert ann is not None
    assert bob is not None
    change = samples.rated(BOB, ANN)
    assert (bob.rating, bob.experience) == (1700.0 - (change.winner.rating_after - 1500.0), 6)
    assert (ann.rating, ann.experience) == (1.0 - (change.loser.rating_after - 1500.0), 6)


def _later() -> samples.RatingChange:
    """Bob has 1700 by now, and Ann 1."""
    change = samples.rated(BOB, ANN)
    winner = samples.attrs.evolve(change.winner, rating_after=1700.0, experience_after=9)
    loser = samples.attrs.evolve(change.loser, rating_after=1.0, experience_after=9)
    return samples.attrs.evolve(change, winner=winner, loser=loser)


async def test_match_that_was_played_out_cannot_be_reversed(players: Caller) -> None:
    """Nor one that goes on."""
    await players.run(samples.started(1), samples.started(2), samples.finished(2))
    for number in (1, 2):
        await players.refused(MatchReversed(id=MatchId(number), names=PLAYERS, settled=0, ratings=(), at=9.0))


async def test_untouched_matches_come_by_number(players: Caller) -> None:
    """Those whose newest entry, start or reversal is older, and that are not finished."""
    for number, at in ((1, 10.0), (2, 10.0), (3, 30.0), (4, 10.0), (5, 10.0)):
        await players.run(samples.started(number, at=at))
    await players.run(samples.added(2, 0, at=31.0), samples.finished(4, settled=0), samples.finished(5, settled=0))
    await players.run(MatchReversed(id=MatchId(5), names=PLAYERS, settled=0, ratings=(), at=25.0))

    async def found(since: float, after: int = 0, most: int = 10) -> list[int]:
        return [row.id for row in await players.store.untouched(since, after, most)]

    assert await found(20.0) == [1]
    assert await found(10.0) == []
    assert await found(26.0) == [1, 5]
    assert await found(40.0) == [1, 2, 3, 5]
    assert await found(40.0, after=1, most=2) == [2, 3]
