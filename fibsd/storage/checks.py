"""What a store of any kind refuses: values that would be trouble at the next load."""

import math
import re

from fibsd.storage import codec
from fibsd.storage.store import StoreError
from fibsd.world.changes import Ban
from fibsd.world.ids import UserName
from fibsd.world.points import Transfer

TOMBSTONE = "erased_"
"""How the name of an erased account begins; a number follows."""

_TOMBSTONE_NAME = re.compile(TOMBSTONE + "[0-9]+", re.IGNORECASE)


def name(new: UserName) -> UserName:
    """The name, if an account may be given it.

    Raises:
        StoreError: It is one that erased accounts get. No user can ask for it, having no digits.
    """
    if _TOMBSTONE_NAME.fullmatch(new):
        raise StoreError(f"{new!r} is kept for erased accounts")
    return new


def rating(whose: str, value: float) -> float:
    """The value, if it can be a rating (see `codec.is_rating`).

    Raises:
        StoreError: It cannot.
    """
    if not codec.is_rating(value):
        raise StoreError(f"{value!r} is no rating for {whose}")
    return value


def until(value: float | None) -> float | None:
    """The value, if it is a time, or None for no end.

    Raises:
        StoreError: It is infinite or not a number.
    """
    if value is not None and not math.isfinite(value):
        raise StoreError(f"{value!r} is no time")
    return value


def ban(value: Ban) -> Ban:
    """The ban, if it is of an account or of addresses and ends at a time or never.

    Raises:
        StoreError: It is of both, of neither, or ends at no time.
    """
    if (value.name is None) == (value.network is None):
        raise StoreError(f"ban {value.id} is not of one account or of one network")
    until(value.until)
    return value


def transfer(value: Transfer) -> Transfer:
    """The transfer, if it moves something from one account to another.

    Raises:
        StoreError: It does not.
    """
    if value.amount < 1 or value.giver == value.taker:
        raise StoreError(f"{value.amount} points from {value.giver!r} to {value.taker!r} are no transfer")
    return value
