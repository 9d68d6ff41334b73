"""A player whose connection is lost while his match goes on by the term `ghost`."""

from fibsd.values import frozen
from fibsd.world.events.kinds import Farewell
from fibsd.world.lobby import Presence

GHOST_AFTER_S = 10.0
"""Seconds from the loss of a connection until the server begins to play."""
DECISION_S = 1.0
"""Seconds that the server lets pass before each of its decisions."""
RETURN_S = 120.0
"""Seconds that a player has, once no game is running, to come back and type `join`."""


@frozen(kw_only=True)
class Absence:
    """Somebody who still has a seat, but no connection.

    Attributes:
        presence: As he was on-line; his account and the switches he has set still count.
        how: How his session ended.
        since: Unix seconds.
        admin: Who ended it, if an administrator did.
    """

    presence: Presence
    how: Farewell
    since: float
    admin: str | None = None
