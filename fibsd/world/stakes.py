"""Stakes: play points that two players set aside for the winner of their match."""

from collections.abc import Iterable

from fibsd.world.audience import Result, ToUser
from fibsd.world.errors import Refusal, Refused
from fibsd.world.events import StakePaid, StakeReturned
from fibsd.world.ids import MatchId, UserName
from fibsd.world.lobby import Presence
from fibsd.world.points import (
    BANK,
    FEE,
    HOUSE,
    RETURNED,
    REVERSED,
    STAKE,
    START,
    WON,
    PointsMoved,
    PointsOpened,
    Transfer,
    pot,
)
from fibsd.world.table import Table
from fibsd.world.world import World


def open_points(world: World, presence: Presence, stored: int | None, out: Result) -> None:
    """Learn how many points a user has; one who has never had any gets his first ones.

    Args:
        world: The world.
        presence: The user.
        stored: What the store says, None if he has never had any.
        out: Collects the effect.
    """
    if stored is None:
        stored = world.house.start_points
        first = Transfer(giver=BANK, taker=presence.name, amount=stored, reason=START, match=None, at=out.now)
        out.store(PointsOpened(transfer=first))
    presence.points = stored


def check_stake(world: World, me: Presence, other: Presence, stake: int) -> None:
    """Whether both can stake so much; 0 can always be staked.

    Raises:
        Refused: There are no points here, or one of the two has too few; how many the other has is his own business.
    """
    if not stake:
        return
    if not world.house.play_points:
        raise Refused(Refusal.TERM_STAKE_OFF)
    if (me.points or 0) < stake:
        raise Refused(Refusal.POINTS_SHORT, points=me.points or 0)
    if (other.points or 0) < stake:
        raise Refused(Refusal.POINTS_OTHER, name=other.name)


def set_aside(world: World, table: Table, out: Result) -> None:
    """Take the stakes of a match that begins from both players."""
    stake = table.terms.added.stake
    if stake:
        _move(world, out, table.id, STAKE, [(name, pot(table.id), stake) for name in (table.names.o, table.names.x)])


def pay(world: World, table: Table, winner: UserName, out: Result) -> None:
    """Give the winner of a match both stakes, less the fee of the house."""
    both = 2 * table.terms.added.stake
    if not both:
        return
    fee = both * world.house.fee_percent // 100
    _move(world, out, table.id, WON, [(pot(table.id), winner, both - fee)])
    _move(world, out, table.id, FEE, [(pot(table.id), HOUSE, fee)])
    for name in (table.names.o, table.names.x):
        out.tell(ToUser(name), StakePaid(winner, both - fee, name == winner))


def give_back(world: World, table: Table, out: Result) -> None:
    """Return the stakes of a match that nobody wins."""
    stake = table.terms.added.stake
    if not stake:
        return
    both = (table.names.o, table.names.x)
    _move(world, out, table.id, RETURNED, [(pot(table.id), name, stake) for name in both])
    for name in both:
        out.tell(ToUser(name), StakeReturned(stake))


def take_back_win(world: World, match_id: MatchId, points: Iterable[tuple[str, int]], out: Result) -> None:
    """Set the stakes of a match aside again: what each account got by its end goes back into the pot."""
    back = [(account, pot(match_id), amount) for account, amount in points if amount > 0]
    _move(world, out, match_id, REVERSED, back)


def aside(world: World, name: UserName) -> list[Table]:
    """The matches of a user on-line for which he has set points aside, the running one first."""
    running = [table for table in world.tables.values() if name in (table.names.o, table.names.x)]
    return [table for table in (*running, *world.saved_of(name)) if table.terms.added.stake]


def _move(world: World, out: Result, match_id: MatchId, reason: str, moves: Iterable[tuple[str, str, int]]) -> None:
    """Book transfers (giver, taker, amount) for a match, and let the users on-line know what they have now."""
    transfers = tuple(
        Transfer(giver=giver, taker=taker, amount=amount, reason=reason, match=match_id, at=out.now)
        for giver, taker, amount in moves
        if amount
    )
    for transfer in transfers:
        for account, change in ((transfer.giver, -transfer.amount), (transfer.taker, transfer.amount)):
            presence = world.users.get(UserName(account))
            if presence is not None and presence.points is not None:
                presence.points += change
    if transfers:
        out.store(PointsMoved(transfers=transfers))
