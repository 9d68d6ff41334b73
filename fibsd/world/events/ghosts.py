"""The term `ghost`: the server plays for somebody whose connection is lost."""

from fibsd.backgammon.side import BySide, Side
from fibsd.values import frozen


@frozen
class ConnectionLost:
    """To the opponent: a player has gone, and the match goes on; after `wait_s` seconds the server acts.

    It begins to play if a game is `running`, else it saves the match.
    """

    name: str
    wait_s: int
    running: bool


@frozen
class GhostPlays:
    """To the opponent: the server plays for somebody from now on, and what its games count."""

    name: str


@frozen
class GhostWon:
    """To players and watchers: the game just won counts for nobody."""

    names: BySide[str]
    side: Side


@frozen
class ReturnAwaited:
    """To the opponent, after a game: how long the match waits for somebody."""

    name: str
    wait_s: int


@frozen
class PlayerBack:
    """To the opponent: somebody plays himself again."""

    name: str


@frozen(kw_only=True)
class GhostReport:
    """To a player who is back: what was done in his place.

    Attributes:
        plays: How many plays the server made in the running game; None if it did not play, or the game is over.
        won: Whether it won the game that is over; None if none is, or it did not play at its end.
        join_s: Seconds that he has to type `join`; None if a game is running.
    """

    plays: int | None
    won: bool | None
    join_s: int | None
