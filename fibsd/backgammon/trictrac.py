"""TricTrac: the dice are played in a fixed order, and nobody moves inside his home board.

The sequence of a roll is the lower number and then the higher, or for doubles d twice and then 7 - d twice.
A play is the longest beginning of that sequence that can be played: a number that cannot be played loses all
that come after it. What the sequence and the home board do not touch is as in backgammon: points held by two,
hits, entering from the bar before all else, and bearing off only when all checkers are home.

A view is the 26 numbers of `Board.seen_by`. The functions stand for those of the same names in `movegen`,
`bearoff` and `pace`.
"""

from collections.abc import Sequence

from fibsd.backgammon.bearoff import most_borne_off, nothing_but_bearing_off
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.errors import Fault, IllegalPlay
from fibsd.backgammon.movegen import View
from fibsd.backgammon.pace import places
from fibsd.backgammon.play import BAR, OFF, Move, Play

MOST_ROLLS = 3
"""How often a side may roll in one turn, if it plays doubles in full each time."""

_BLOT = -1
_HOME = 6


def sequence(dice: Dice) -> tuple[int, ...]:
    """The numbers of a roll in the order in which they must be played."""
    low, high = sorted(dice)
    return (low, low, 7 - low, 7 - low) if low == high else (low, high)


def playable(view: View, dice: Dice) -> int:
    """How many numbers of the sequence must be played: as many as can be, 0 to 4."""
    return _longest(view, sequence(dice))


def check_play(view: View, dice: Dice, play: Play, must: int | None = None) -> None:
    """See that a play is legal; its moves must be in the order of the sequence.

    Args:
        view: The position.
        dice: The roll.
        play: The moves.
        must: What `playable` gives for this roll, if the caller has it at hand.

    Raises:
        IllegalPlay: The play is not legal. Too many moves are complained about before anything else, too few
            after everything else.
    """
    must = playable(view, dice) if must is None else must
    if len(play) > must:
        raise IllegalPlay(Fault.TOO_MANY, -1, must)
    board = view
    numbers = sequence(dice)
    for nth, (die, move) in enumerate(zip(numbers, play, strict=False)):
        found = _fault(board, die, move)
        if found is not None:
            fault, number = found
            if fault is Fault.DISTANCE and _fits_another(numbers, die, move):
                fault, number = Fault.ORDER, die
            raise IllegalPlay(fault, nth, number)
        board = _after(board, die, move.source)
    if len(play) < must:
        raise IllegalPlay(Fault.TOO_FEW, -1, must)


def legal_plays(view: View, dice: Dice) -> list[Play]:
    """One play for each different position that the roll can lead to."""
    reached: dict[View, Play] = {view: ()}
    for die in sequence(dice):
        further: dict[View, Play] = {}
        for board, play in reached.items():
            for source in _sources(board, die):
                further.setdefault(_after(board, die, source), (*play, Move(source, max(source - die, OFF))))
        if not further:
            break
        reached = further
    return [play for play in reached.values() if play]


def forced_play(view: View, dice: Dice) -> Play | None:
    """The play if the roll can lead to one position only; None if it is none or more."""
    plays = legal_plays(view, dice)
    return plays[0] if len(plays) == 1 else None


def greedy_play(view: View, dice: Dice) -> Play | None:
    """The play that bears off most, as in backgammon; inside the home board there is nothing else to do."""
    return most_borne_off(legal_plays(view, dice)) if nothing_but_bearing_off(view) else None


def fewest_turns(view: View) -> int:
    """In how many turns a side, once no contact is left, can surely have borne off everything.

    Double sixes bring two checkers six points nearer home in each turn. After that two can be borne off in each
    turn, by doubles of the rear point or by the numbers of the two last checkers. Other rolls may be faster: a
    gammon is rather not charged than charged although it cannot happen.
    """
    points = places(view)
    sixes = sum(-(-(point - _HOME) // 6) for point in points if point > _HOME)
    return -(-sixes // 2) + -(-len(points) // 2)


def can_last(view: View, turns: int, behind: int) -> bool:
    """Whether a side, once no contact is left, can surely play so many turns with nothing borne off.

    It is given 2-1 for ever. Checkers outside take it as long as they have two pips to go, one of them apart if it
    must stay behind. Once all are home the 1 cannot be played, and with it the roll is lost, unless a checker
    stands on the 1 point.

    Args:
        view: The position as the side sees it.
        turns: How many turns it has to play.
        behind: The point on which, or behind which, one checker must remain; 1 for no matter where.
    """
    points = places(view)
    if behind > 1 and points[-1] < behind:
        return False
    free = points[:-1] if behind > 1 else points
    outside = sum(point - _HOME for point in free if point > _HOME)
    waits = behind == 1 and not view[1] and not (outside and view[2])
    return waits or turns <= (outside + 1) // 3


def _longest(board: View, numbers: Sequence[int]) -> int:
    """How many of these numbers can be played one after the other."""
    most = 0
    for source in _sources(board, numbers[0]):
        most = max(most, 1)
        if len(numbers) > 1:
            most = max(most, 1 + _longest(_after(board, numbers[0], source), numbers[1:]))
        if most == len(numbers):
            break
    return most


def _sources(view: View, die: int) -> list[int]:
    """The points from which a number can be played now, from the rear."""
    if view[BAR]:
        return [BAR] if view[BAR - die] >= _BLOT else []
    outside = [source for source in range(24, _HOME, -1) if view[source] > 0]
    if outside:
        return [source for source in outside if view[source - die] >= _BLOT]
    rear = max((point for point in range(1, _HOME + 1) if view[point] > 0), default=0)
    source = min(die, rear)
    return [source] if source and view[source] > 0 else []


def _after(view: View, die: int, source: int) -> View:
    """The position after a move."""
    board = list(view)
    board[source] -= 1
    target = source - die
    if target > OFF:
        if board[target] == _BLOT:
            board[target] = 0
            board[0] -= 1
        board[target] += 1
    return tuple(board)


def _fault(view: View, die: int, move: Move) -> tuple[Fault, int] | None:
    """What is wrong with a move by this number, as for `IllegalPlay`; None if nothing is."""
    source, target = move
    if not OFF <= target < source:
        return Fault.DIRECTION, source
    if view[BAR] and source != BAR:
        return Fault.BAR_FIRST, source
    if source > BAR or view[source] <= 0:
        return Fault.NO_CHECKER, source
    if target == OFF:
        return _fault_of_bearing_off(view, die, source)
    if source <= _HOME:
        return Fault.INSIDE, source - target
    if view[target] < _BLOT:
        return Fault.BLOCKED, target
    return None if source - target == die else (Fault.DISTANCE, source - target)


def _fits_another(numbers: Sequence[int], die: int, move: Move) -> bool:
    """Whether the distance of a move is right, or enough to bear off, for a number of the roll but not for this one."""
    source, target = move
    others = [number for number in numbers if number != die]
    return source - target in others or (target == OFF and source <= max(others))


def _fault_of_bearing_off(view: View, die: int, source: int) -> tuple[Fault, int] | None:
    if source > die:
        return Fault.DISTANCE, source
    behind = view[_HOME + 1 if source == die else source + 1 :]
    return (Fault.BEAR_OFF, source) if max(behind) > 0 else None
