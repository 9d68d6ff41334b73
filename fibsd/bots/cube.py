"""When the engine doubles, takes, and accepts a resignation. Pure.

Chances come from `fibsd.bots.evaluation`; what they are worth at a score comes from Janowski's formula for
the chance to win a match. `docs/reference/engine.md` tells the rules in words.
"""

from fibsd.backgammon.board import Board
from fibsd.backgammon.cube import CUBE_LIMIT, Cube
from fibsd.backgammon.reach import largest_loss
from fibsd.backgammon.side import BySide, Side
from fibsd.backgammon.variants import BACKGAMMON, Variant
from fibsd.bots.evaluation import Outlook, halves, normal, outlook
from fibsd.values import frozen

DOUBLE_AHEAD, REDOUBLE_AHEAD, TAKE_BEHIND = 0.08, 0.09, 0.12
"""Leads in a race, as shares of the pips of the side that is to roll."""
_WINDOW, _WINDOW_OWN = 0.8, 0.88
"""How far between the chance from which a double pays at the last roll and the one from which it is refused."""
_TOO_GOOD = 0.45
"""From this chance of a gammon on, a side that would be refused plays on."""
_OWNING = 0.03
"""How much less of a chance is enough to take, since the cube is then the taker's own."""
_GIVE_UP_GAMMON = 60
"""So many pips behind, with nothing off, a gammon is likely."""


@frozen(kw_only=True)
class Score:
    """Where a match stands.

    Attributes:
        away: Points that each side still needs, at least 1; None in an unlimited match.
        crawford_over: Whether the Crawford game was played (or the Crawford rule does not hold), so that the
            side behind may double at any time from now on.
        jacoby: Whether gammons count single as long as nobody owns the cube.
        variant: What is played.
    """

    away: BySide[int] | None = None
    crawford_over: bool = False
    jacoby: bool = False
    variant: Variant = BACKGAMMON


UNLIMITED = Score()


def wants_double(board: Board, side: Side, cube: Cube, score: Score) -> bool:
    """Whether the side, about to roll, turns the cube. That it may is for the caller to know.

    Args:
        board: The position.
        side: Who decides.
        cube: As it lies now.
        score: Where the match stands.
    """
    if cube.value >= CUBE_LIMIT:
        return False
    if score.away is not None:
        own, other = score.away.of(side), score.away.of(side.other)
        if own <= cube.value:
            return False
        if other <= cube.value:
            # The game decides the match for the other side: a higher cube costs nothing.
            return True
    elif not board.contact:
        return _race_lead(board, side) >= (REDOUBLE_AHEAD if cube.owner is side else DOUBLE_AHEAD)
    view = _rolling(board, side, score.variant)
    least, most = _window(side, cube.value, score)
    most -= _gammon_cost(view.gammon, side, 2 * cube.value, score)
    share = _WINDOW if cube.owner is None else _WINDOW_OWN
    single = score.jacoby and cube.owner is None
    if view.win >= most and view.gammon >= _TOO_GOOD and not single and _gammon_counts(side, cube.value, score):
        return False
    return view.win >= least + share * (most - least)


def takes(board: Board, side: Side, cube: Cube, score: Score) -> bool:
    """Whether the side accepts a double of the other one, which is about to roll.

    Args:
        board: The position.
        side: Who decides.
        cube: As it lay before it was turned; its value is what is lost by refusing.
        score: Where the match stands.
    """
    if score.away is not None and score.away.of(side.other) <= cube.value:
        return True
    if score.away is None and not board.contact:
        return _race_lead(board, side.other) <= TAKE_BEHIND
    view = outlook(board.seen_by(side), score.variant.checkers)
    _, most = _window(side.other, cube.value, score)
    needed = 1 - most + _gammon_cost(view.gammoned, side.other, 2 * cube.value, score)
    if score.away is None or score.away.of(side) > 2 * cube.value:
        needed -= _OWNING
    return view.win >= needed


def answers_resignation(board: Board, side: Side, size: int, on_turn: Side, variant: Variant = BACKGAMMON) -> bool:
    """Whether the side is content with what the other one offers to lose.

    Args:
        board: The position.
        side: Who decides.
        size: 1 for a single game, 2 for a gammon, 3 for a backgammon.
        on_turn: Whose turn it is; a roll that lies there is not looked at.
        variant: What is played.
    """
    loser = side.other
    if size >= largest_loss(board, loser, on_turn, variant):
        return True
    view = outlook(board.seen_by(side), variant.checkers) if on_turn is loser else _rolling(board, side, variant)
    if size == 1:
        return view.equity <= 1
    return _backgammon(board, loser) < 0.5


def size_to_resign(board: Board, side: Side, on_turn: Side, variant: Variant = BACKGAMMON) -> int:
    """What a side that gives up should offer: what it is likely to lose, 1 to 3."""
    behind = board.pips(side) - board.pips(side.other)
    likely = 2 if not variant.some_off(board, side) and behind >= _GIVE_UP_GAMMON else 1
    return min(likely, largest_loss(board, side, on_turn, variant))


def match_chance(own: int, other: int, crawford_over: bool) -> float:
    """Chance (0 to 1) to win a match of equals, by points that each side still needs.

    Janowski's formula: 1/2 + 0.85 D/(T+6), with the lead D and what the side behind needs, T. With the Crawford
    game over, the side behind doubles at once, so it needs half as many games.
    """
    if own <= 0 or other <= 0:
        return float(own <= 0)
    if crawford_over and own != other and 1 in (own, other):
        games = (max(own, other) + 1) // 2
        return 1 - 0.5**games if own == 1 else 0.5**games
    lead, trailer = abs(other - own), max(own, other)
    ahead = 0.5 + 0.85 * lead / (trailer + 6)
    return ahead if own <= other else 1 - ahead


# --- how it is judged ------------------------------------------------------------------------------------------


def _rolling(board: Board, side: Side, variant: Variant) -> Outlook:
    """What a side that is about to roll may expect: the other side has just moved."""
    other = outlook(board.seen_by(side.other), variant.checkers)
    return Outlook(1 - other.win, other.gammoned, other.gammon)


def _race_lead(board: Board, side: Side) -> float:
    """How far the side, about to roll, is ahead, as a share of its own pips, waste counted."""
    own, other = halves(board.seen_by(side))
    return (other.travel - own.travel) / own.travel


def _window(side: Side, stake: int, score: Score) -> tuple[float, float]:
    """From which chance a double pays at the last roll, and from which the other side refuses it."""

    def worth(points: int) -> float:
        """What the side has when it has won (or lost) so many points."""
        if score.away is None:
            return float(points)
        own, other = score.away.of(side) - max(points, 0), score.away.of(side.other) + min(points, 0)
        # Once a side has reached one point, the Crawford game comes next unless it was played.
        return match_chance(own, other, score.crawford_over)

    win, win_2, lose, lose_2 = worth(stake), worth(2 * stake), worth(-stake), worth(-2 * stake)
    risk, gain = lose - lose_2, win_2 - win
    least = risk / (risk + gain) if risk + gain else 1.0
    most = (win - lose_2) / (win_2 - lose_2)
    return least, most


def _gammon_counts(side: Side, value: int, score: Score) -> bool:
    """Whether a gammon at this cube wins anything that a single game does not."""
    return score.away is None or score.away.of(side) > value


def _gammon_cost(share: float, side: Side, value: int, score: Score) -> float:
    """How much better the chance to win must be to take, if this share of the side's wins would be gammons.

    For money a take needs p with 2p - 2(1-p)(1+g) = -1, that is (1+2g)/(4+2g) instead of 1/4.
    """
    return (1 + 2 * share) / (4 + 2 * share) - 0.25 if _gammon_counts(side, value, score) else 0.0


def _backgammon(board: Board, loser: Side) -> float:
    """Chance that a loser who cannot escape a gammon is caught in the winner's home board."""
    own, other = halves(board.seen_by(loser))
    needs = sum([(point - 18) * own.counts[point] for point in range(19, 26)])
    spread = max(1.0, (2 * (needs + other.travel)) ** 0.5)
    return normal((needs - other.travel) / spread) if needs else 0.0
