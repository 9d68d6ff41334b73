"""How long a side needs, and how long it can be made to wait, once no contact is left.

The sides then cannot hinder each other, so each can be looked at by itself.
A view is the 26 numbers of `Board.seen_by`.
"""

from fibsd.backgammon.movegen import View


def places(view: View) -> list[int]:
    """The point of each own checker, from the front to the rear."""
    return [point for point, count in enumerate(view) for _ in range(count)]


def fewest_turns(view: View) -> int:
    """In how many turns a side can have borne off everything: it is given double sixes for ever."""
    sixes = sum(-(-point // 6) for point in places(view))
    return -(-sixes // 4)


def can_last(view: View, turns: int, behind: int) -> bool:
    """Whether some rolls let a side play so many turns with nothing borne off and a checker still far behind.

    Args:
        view: The position as the side sees it.
        turns: How many turns it has to play.
        behind: The point on which, or behind which, one checker must remain; 1 for no matter where.
    """
    points = places(view)
    spare = [point - 1 for point in points]
    if behind == 1:
        return turns <= _most_turns(spare)
    return any(
        turns <= _most_turns([*spare[:nth], point - behind, *spare[nth + 1 :]])
        for nth, point in enumerate(points)
        if point >= behind
    )


def _most_turns(spare: list[int]) -> int:
    """How many turns can be played if each checker may move that many pips: first all 2-1, then all 1-1."""
    pips = sum(spare)
    short = min(pips // 3, sum(pips // 2 for pips in spare))
    return short + (pips - 3 * short) // 4
