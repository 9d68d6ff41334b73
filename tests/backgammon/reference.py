"""The rules of a play once more, written to be seen to be right: every order of every die, with copies."""

from collections.abc import Iterator

from fibsd.backgammon.dice import Dice
from fibsd.backgammon.play import BAR, OFF, Move, Play

View = tuple[int, ...]


def moves(view: View, die: int) -> Iterator[tuple[Move, View]]:
    """Each move of one checker with this die, with the position after it."""
    for source in range(1, BAR + 1):
        target = max(source - die, OFF)
        if view[source] <= 0 or (view[BAR] > 0 and source != BAR):
            continue
        if target == OFF:
            behind = [point for point in range(source + 1, BAR + 1) if view[point] > 0]
            if any(point > 6 for point in behind) or source > 6 or (source < die and behind):
                continue
        elif view[target] < -1:
            continue
        after = list(view)
        after[source] -= 1
        if target != OFF:
            if after[target] == -1:
                after[target] = 0
                after[0] -= 1
            after[target] += 1
        yield Move(source, target), tuple(after)


def sequences(view: View, dice: list[int]) -> Iterator[tuple[tuple[int, ...], Play, View]]:
    """Each sequence of moves that can be made with the dice in this order, the unfinished ones too."""
    yield (), (), view
    if dice:
        for move, after in moves(view, dice[0]):
            for used, play, result in sequences(after, dice[1:]):
                yield (dice[0], *used), (move, *play), result


def legal(view: View, dice: Dice) -> dict[Play, View]:
    """Every legal play, each order of its moves by itself, with the position it leads to."""
    orders = [[dice.first] * 4] if dice.is_double else [[*dice], [*reversed(dice)]]
    found = [sequence for order in orders for sequence in sequences(view, order)]
    most = max(len(play) for _, play, _ in found)
    longest = [sequence for sequence in found if len(sequence[1]) == most > 0]
    if most == 1 and any(used == (max(dice),) for used, _, _ in longest):
        longest = [sequence for sequence in longest if sequence[0] == (max(dice),)]
    return {play: result for _, play, result in longest}


def last_checker_off(view: View, dice: Dice) -> set[Play]:
    """Plays that bear off the last checker, with however many dice."""
    orders = [[dice.first] * 4] if dice.is_double else [[*dice], [*reversed(dice)]]
    return {play for order in orders for _, play, result in sequences(view, order) if play and max(result[1:]) <= 0}


def trictrac(view: View, dice: Dice) -> dict[Play, View]:
    """Every legal play of TricTrac, with the position it leads to."""
    found = list(_trictrac_sequences(view, trictrac_numbers(dice)))
    most = max(len(play) for play, _ in found)
    return {play: result for play, result in found if len(play) == most > 0}


def trictrac_numbers(dice: Dice) -> list[int]:
    """What is to be played, in this order."""
    return [dice.first] * 2 + [7 - dice.first] * 2 if dice.is_double else sorted(dice)


def _trictrac_sequences(view: View, numbers: list[int]) -> Iterator[tuple[Play, View]]:
    yield (), view
    if numbers:
        for move, after in moves(view, numbers[0]):
            if move.target in range(1, 7) and move.source <= 6:
                continue
            for play, result in _trictrac_sequences(after, numbers[1:]):
                yield (move, *play), result


def trictrac_finished(view: View, dice: Dice) -> set[Play]:
    """Moves in the order of the numbers that bear off the last checker, however many they are."""
    found = _trictrac_sequences(view, trictrac_numbers(dice))
    return {play for play, result in found if play and max(result[1:]) <= 0}
