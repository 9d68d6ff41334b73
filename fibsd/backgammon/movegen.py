"""Legal plays.

A view is the 26 numbers of `Board.seen_by`: own checkers positive, moving from 24 down to 1, own bar 25.

Nothing here copies a board for a result that nobody looks at: a play names its result. It is fast because
during a play the other side's points stay as open or closed as they were: a hit only makes room.
"""

import sys
from collections.abc import Sequence
from typing import TypeAlias

from fibsd.backgammon.dice import Dice
from fibsd.backgammon.errors import Fault, IllegalPlay
from fibsd.backgammon.play import BAR, OFF, Move, Play

View: TypeAlias = tuple[int, ...]

_BLOT = -1
_HOME = 6

# Ready-made moves, by die and source: a play is put together from them without building anything new.
_MOVES = tuple(tuple(Move(source, max(source - die, OFF)) for source in range(BAR + 1)) for die in range(_HOME + 1))


def playable(view: View, dice: Dice) -> int:
    """How many dice must be played: as many as can be, 0 to 4."""
    if dice.first == dice.second:
        return _most_equal(view, dice.first)
    high, low = dice if dice.first > dice.second else (dice.second, dice.first)
    if view[BAR]:
        return _most_entering(view, high, low)
    most = _most_far(view, high, low)
    if most < 2 and _bears_off_soon(view, 1):
        return _most_near_home(view, high, low)
    return most


def check_play(view: View, dice: Dice, play: Play, must: int | None = None) -> None:
    """See that a play is legal; its moves are checked in their order, each after the ones before it.

    A play that bears off the last checker is legal even if more dice could have been played.

    Args:
        view: The position.
        dice: The roll.
        play: The moves.
        must: What `playable` gives for this roll, if the caller has it at hand.

    Raises:
        IllegalPlay: The play is not legal. Too many moves are complained about before anything else, too few
            after everything else.
    """
    board = list(view)
    unused = [dice.first] * 4 if dice.first == dice.second else list(dice)
    try:
        for nth, move in enumerate(play):
            _make_move(board, unused, nth, move)
    except IllegalPlay:
        must = playable(view, dice) if must is None else must
        if len(play) > must:
            raise IllegalPlay(Fault.TOO_MANY, -1, must) from None
        raise
    # All dice used, each in a legal move: that is a legal play, without any search.
    if not unused or max(board) <= 0:
        return
    must = playable(view, dice) if must is None else must
    if len(play) < must:
        raise IllegalPlay(Fault.TOO_FEW, -1, must)
    if must == 1 and dice.first != dice.second:
        _check_larger_die(view, max(dice), play[0])


def legal_plays(view: View, dice: Dice) -> list[Play]:
    """One play for each different position that the roll can lead to, its moves in a legal order."""
    return _plays(view, dice, sys.maxsize)


def forced_play(view: View, dice: Dice) -> Play | None:
    """The play if the roll can lead to one position only; None if it is none or more."""
    plays = _plays(view, dice, 2)
    return plays[0] if len(plays) == 1 else None


def _plays(view: View, dice: Dice, enough: int) -> list[Play]:
    """Legal plays for different results, all of them or at least `enough`."""
    if dice.first == dice.second:
        return _plays_equal(view, dice.first, enough)
    high, low = max(dice), min(dice)
    if view[BAR]:
        plays = _plays_entering(view, high, low)
    elif _bears_off_soon(view, 1):
        plays = _plays_near_home(view, high, low, enough)
    else:
        plays = _plays_far(view, high, low, enough)
    if plays:
        return plays
    # Only one die can be played: it must be the larger one if that is possible.
    sources = _sources(view, high)
    die = high if sources else low
    return [(_MOVES[die][source],) for source in sources or _sources(view, low)]


# -- Checking a play -----------------------------------------------------------------------------------------


def _make_move(board: list[int], unused: list[int], nth: int, move: Move) -> None:
    """Move a checker and use up a die, or raise IllegalPlay."""
    source, target = move
    if not OFF <= target < source:
        raise IllegalPlay(Fault.DIRECTION, nth, source)
    if board[BAR] and source != BAR:
        raise IllegalPlay(Fault.BAR_FIRST, nth, source)
    if source > BAR or board[source] <= 0:
        raise IllegalPlay(Fault.NO_CHECKER, nth, source)
    die = source - target
    if target == OFF:
        die = _die_to_bear_off(board, unused, nth, source)
    elif board[target] < _BLOT:
        raise IllegalPlay(Fault.BLOCKED, nth, target)
    elif die not in unused:
        raise IllegalPlay(Fault.DISTANCE, nth, die)
    else:
        board[target] = board[target] + 1 if board[target] > 0 else 1
    unused.remove(die)
    board[source] -= 1


def _die_to_bear_off(board: list[int], unused: list[int], nth: int, source: int) -> int:
    """The die that takes the checker off: the exact one, else a larger one if no checker stands behind."""
    if source > max(unused, default=0):
        raise IllegalPlay(Fault.DISTANCE, nth, source)
    exact = source in unused
    if max(board[_HOME + 1 if exact else source + 1 :]) > 0:
        raise IllegalPlay(Fault.BEAR_OFF, nth, source)
    return source if exact else max(unused)


def _check_larger_die(view: View, high: int, move: Move) -> None:
    """See that the only move of a play is one that the larger die makes, if that die can be played at all."""
    sources = _sources(view, high)
    if sources and not (move.source in sources and move == _MOVES[high][move.source]):
        raise IllegalPlay(Fault.DISTANCE, 0, move.source - move.target)


# -- Where a die can be played -------------------------------------------------------------------------------


def _sources(view: Sequence[int], die: int) -> list[int]:
    """The points from which a die can be played now, from the rear."""
    if view[BAR]:
        return [BAR] if view[BAR - die] >= _BLOT else []
    sources = _far_sources(view, die)
    if max(view[_HOME + 1 :]) <= 0:
        if view[die] > 0:
            sources.append(die)
        elif max(view[die:]) <= 0:
            sources += [source for source in range(die - 1, 0, -1) if view[source] > 0][:1]
    return sources


def _far_sources(view: Sequence[int], die: int) -> list[int]:
    """The points from which a die can be played without bearing off, if nobody is on the bar."""
    return [source for source in range(24, die, -1) if view[source] > 0 and view[source - die] >= _BLOT]


def _bears_off_soon(view: View, moves: int) -> bool:
    """Whether all checkers can be home after this number of moves."""
    outside = 0
    for count in view[_HOME + 1 :]:
        if count > 0:
            outside += count
            if outside > moves:
                return False
    return True


def _after(view: View, die: int, source: int) -> list[int]:
    """The board after one move, without counting what is borne off or hit."""
    board = list(view)
    board[source] -= 1
    if source > die:
        board[source - die] = max(board[source - die], 0) + 1
    return board


# -- Two different dice --------------------------------------------------------------------------------------


def _most_entering(view: View, high: int, low: int) -> int:
    enters = [die for die in (high, low) if view[BAR - die] >= _BLOT]
    if view[BAR] > 1:
        return len(enters)
    # Whoever has entered is not home, so nobody bears off: he or another goes on.
    if enters and view[BAR - high - low] >= _BLOT:
        return 2
    for die in enters:
        if _far_sources(view, high + low - die):
            return 2
    return 1 if enters else 0


def _most_near_home(view: View, high: int, low: int) -> int:
    most = 0
    for die in (high, low):
        for source in _sources(view, die):
            if _sources(_after(view, die, source), high + low - die):
                return 2
            most = 1
    return most


def _most_far(view: View, high: int, low: int) -> int:
    """How many can be played without bearing off, with nobody on the bar: the dice are then independent."""
    both = high + low
    from_high = from_low = 0
    for source in range(24, low, -1):
        count = view[source]
        if count <= 0:
            continue
        by_low = view[source - low] >= _BLOT
        by_high = source > high and view[source - high] >= _BLOT
        if (by_low or by_high) and source > both and view[source - both] >= _BLOT:
            return 2
        if by_low:
            if from_high or (by_high and count > 1):
                return 2
            from_low = from_low or source
        if by_high:
            if from_low and from_low != source:
                return 2
            from_high = source
    return 1 if from_high or from_low else 0


def _plays_far(view: View, high: int, low: int, enough: int) -> list[Play]:
    """Plays of both dice, with nobody on the bar and no bearing off in sight.

    The dice are then independent: any pair of sources will do, in any order. Left are the plays where one
    checker is moved by both dice, which include pairs whose second checker stands where the first arrives.
    """
    high_moves, low_moves = _MOVES[high], _MOVES[low]
    lows = _far_sources(view, low)
    both = high + low
    plays: list[Play] = []
    for source in range(24, both, -1):
        if view[source] > 0 and view[source - both] >= _BLOT:
            at_high, at_low = view[source - high], view[source - low]
            if at_high >= _BLOT:
                plays.append((high_moves[source], low_moves[source - high]))
            # The other way round leads to another position only if a blot is hit on one of the two ways.
            if at_low >= _BLOT and not (at_high >= 0 <= at_low):
                plays.append((low_moves[source], high_moves[source - low]))
    for source in _far_sources(view, high):
        move = high_moves[source]
        same = 0 if view[source] > 1 else source
        skipped = (same, source - high, source + low)
        plays += [(move, low_moves[other]) for other in lows if other not in skipped]
        if len(plays) >= enough:
            break
    return plays


def _plays_entering(view: View, high: int, low: int) -> list[Play]:
    """Plays of both dice with a checker on the bar."""
    enters = [die for die in (high, low) if view[BAR - die] >= _BLOT]
    if view[BAR] > 1:
        return [(_MOVES[high][BAR], _MOVES[low][BAR])] if len(enters) == 2 else []
    plays: list[Play] = []
    for die in enters:
        other = high + low - die
        plays += [(_MOVES[die][BAR], _MOVES[other][source]) for source in _sources(_after(view, die, BAR), other)]
    if len(enters) == 2 and view[BAR - high] >= 0 <= view[BAR - low]:
        # Both ways of moving the entering checker on hit nothing: they come to the same.
        again = (_MOVES[low][BAR], _MOVES[high][BAR - low])
        plays = [play for play in plays if play != again]
    return plays


def _plays_near_home(view: View, high: int, low: int, enough: int) -> list[Play]:
    """Plays of both dice when checkers may be borne off: all orders, results told apart by a number."""
    found: dict[int, Play] = {}
    for first, second in ((high, low), (low, high)):
        for source in _sources(view, first):
            move = _MOVES[first][source]
            change = _change(view, move)
            board = _after(view, first, source)
            for other in _sources(board, second):
                move_2 = _MOVES[second][other]
                found.setdefault(change + _change(board, move_2), (move, move_2))
            if len(found) >= enough:
                return list(found.values())
    return list(found.values())


def _change(view: Sequence[int], move: Move) -> int:
    """What a move changes, as a number: four bits for each own point, and four for each blot hit."""
    source, target = move
    change = (1 << 4 * target) - (1 << 4 * source)
    return change + (1 << 4 * (BAR + 1 + target)) if target and view[target] == _BLOT else change


# -- Equal dice ----------------------------------------------------------------------------------------------


def _most_equal(view: View, die: int) -> int:
    """Play from the rear as long as it goes: no order of equal dice can do better."""
    board = list(view)
    left = 4
    for source in range(BAR, die, -1):
        if board[source] > 0 and view[source - die] >= _BLOT:
            count = min(board[source], left)
            left -= count
            if left == 0:
                return 4
            board[source] -= count
            board[source - die] = max(board[source - die], 0) + count
        if source == BAR and board[BAR]:
            return 4 - left
    if max(board[_HOME + 1 :]) > 0:
        return 4 - left
    last = die if max(board[die + 1 : _HOME + 1], default=0) > 0 else 1
    off = sum(count for count in board[last : die + 1] if count > 0)
    return 4 - max(left - off, 0)


def _plays_equal(view: View, die: int, enough: int) -> list[Play]:
    """Plays of as many equal dice as possible.

    Any such play can be sorted from the rear to the front, so only sorted ones are looked for; then each
    result comes up exactly once.
    """
    left = _most_equal(view, die)
    if left == 0:
        return []
    own = [count if count > 0 else 0 for count in view]
    entering = min(own[BAR], left)
    own[BAR] -= entering
    own[BAR - die] += entering
    entered = (_MOVES[die][BAR],) * entering
    if entering == left:
        return [entered]
    sources = [source for source in range(24, die, -1) if view[source - die] >= _BLOT]
    if _bears_off_soon(view, 3):
        sources += range(die, 0, -1)
    plays: list[Play] = []
    _extend(own, die, sources, entered, left - entering, plays, enough)
    return plays


def _extend(
    own: list[int], die: int, sources: list[int], play: Play, left: int, plays: list[Play], enough: int
) -> None:
    """Append to `plays` all that begin with this play and go on with `left` moves from these sources."""
    moves = _MOVES[die]
    if left == 1:
        plays += [(*play, moves[source]) for source in sources if own[source] and _may_move(own, die, source)]
        return
    for nth, source in enumerate(sources):
        if own[source] and _may_move(own, die, source):
            target = moves[source].target
            own[source] -= 1
            own[target] += 1
            _extend(own, die, sources[nth:], (*play, moves[source]), left - 1, plays, enough)
            own[source] += 1
            own[target] -= 1
            if len(plays) >= enough:
                return


def _may_move(own: list[int], die: int, source: int) -> bool:
    """Whether the die can be played from a source where the target is open."""
    return source > die or not any(own[(_HOME if source == die else source) + 1 :])
