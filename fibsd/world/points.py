"""Play points, which can be staked on a match; they have no other use.

Who owns how many is what the ledger says: every transfer is a row for the giver and one for the taker, so that the
sum of all rows is 0 at all times. Besides the users it has accounts of the server and of matches, with characters
in their names that no user's name can have.
"""

from typing import ClassVar

from fibsd.values import frozen
from fibsd.world.ids import MatchId

BANK = ":bank"
"""From here come everybody's first points; the only account that may have less than 0."""

HOUSE = ":house"
"""Here goes the fee of the house."""

START, STAKE, WON, FEE, RETURNED, REVERSED, ERASE = "start", "stake", "won", "fee", "returned", "reversed", "erase"
"""Reasons for a transfer: first points; set aside for a match; won by it, and the fee of the house; given back with a
match that nobody won; the last two taken back with a settlement; given up with an account."""

ENDS = frozenset({WON, FEE, REVERSED})
"""Reasons by which a match that somebody has won is booked, or is no longer."""


def pot(match_id: MatchId) -> str:
    """The account in which the stakes of a match are set aside."""
    return f"match:{match_id}"


@frozen(kw_only=True)
class Transfer:
    """Play points that go from one account of the ledger to another, so that the sum of all accounts is always 0.

    Attributes:
        giver: Who has so many fewer: a user, or one of the accounts above.
        taker: Who has so many more.
        amount: At least 1.
        reason: A word.
        match: The match that it is about, if any.
        at: Unix seconds.
    """

    giver: str
    taker: str
    amount: int
    reason: str
    match: MatchId | None
    at: float


@frozen(kw_only=True)
class PointsOpened:
    """A user's first points, from the bank; if he has had them already, or is gone, nothing happens."""

    durable: ClassVar[bool] = False
    transfer: Transfer


@frozen(kw_only=True)
class PointsMoved:
    """Transfers of play points, in this order; refused if somebody but the bank would have less than 0."""

    durable: ClassVar[bool] = True
    transfers: tuple[Transfer, ...]
