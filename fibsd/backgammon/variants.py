"""What is played: backgammon, and games that differ from it in the start or in the use of the dice."""

from collections.abc import Callable, Mapping

import attrs

from fibsd.backgammon import bearoff, movegen, pace, trictrac
from fibsd.backgammon.board import CHECKERS, START, Board
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.movegen import View
from fibsd.backgammon.play import Play
from fibsd.backgammon.side import Side
from fibsd.values import frozen


@frozen(kw_only=True)
class PlayRules:
    """How dice are used. Each function is told of where it stands for backgammon, named below.

    Attributes:
        playable: How many dice must be played (`movegen`).
        check_play: See that a play is legal; the last argument is what `playable` gives, or None (`movegen`).
        legal_plays: One play for each position that the roll can lead to (`movegen`).
        forced_play: The play if there is only one such position (`movegen`).
        greedy_play: The play that bears off most, or None (`bearoff`).
        fewest_turns: How soon a side can be done, without contact (`pace`).
        can_last: Whether a side can be made to wait so long, without contact (`pace`).
        most_rolls: How often a side may roll in one turn; it rolls again after doubles that it played in full.
    """

    playable: Callable[[View, Dice], int]
    check_play: Callable[[View, Dice, Play, int | None], None]
    legal_plays: Callable[[View, Dice], list[Play]]
    forced_play: Callable[[View, Dice], Play | None]
    greedy_play: Callable[[View, Dice], Play | None]
    fewest_turns: Callable[[View], int]
    can_last: Callable[[View, int, int], bool]
    most_rolls: int


@frozen(kw_only=True)
class Variant:
    """A game that can be agreed on.

    Attributes:
        name: As users type it.
        start: The position before the first move.
        checkers: How many each side has. A board always counts 15, so those that a variant does not have are off
            from the start; `Board.off` counts them too.
        cube: Whether it is ever played with a cube.
        rules: How dice are used.
    """

    name: str
    start: Board = attrs.field(repr=False)
    checkers: int
    cube: bool
    rules: PlayRules = attrs.field(repr=False)

    def some_off(self, board: Board, side: Side) -> bool:
        """Whether the side has borne off a checker, and so cannot lose a gammon any more."""
        return board.checkers(side) < self.checkers


def _both_sides(view: Mapping[int, int]) -> Board:
    """The position in which each side has so many checkers on these points of its own numbering."""
    own = [view.get(point, 0) for point in range(26)]
    return Board(points=tuple(mine - others for mine, others in zip(own, reversed(own), strict=True)))


_BACKGAMMON_PLAY = PlayRules(
    playable=movegen.playable,
    check_play=movegen.check_play,
    legal_plays=movegen.legal_plays,
    forced_play=movegen.forced_play,
    greedy_play=bearoff.greedy_play,
    fewest_turns=pace.fewest_turns,
    can_last=pace.can_last,
    most_rolls=1,
)
_TRICTRAC_PLAY = PlayRules(
    playable=trictrac.playable,
    check_play=trictrac.check_play,
    legal_plays=trictrac.legal_plays,
    forced_play=trictrac.forced_play,
    greedy_play=trictrac.greedy_play,
    fewest_turns=trictrac.fewest_turns,
    can_last=trictrac.can_last,
    most_rolls=trictrac.MOST_ROLLS,
)

BACKGAMMON = Variant(name="backgammon", start=START, checkers=CHECKERS, cube=True, rules=_BACKGAMMON_PLAY)
NACKGAMMON = Variant(
    name="nackgammon",
    start=_both_sides({24: 2, 23: 2, 13: 4, 8: 3, 6: 4}),
    checkers=CHECKERS,
    cube=True,
    rules=_BACKGAMMON_PLAY,
)
HYPERGAMMON = Variant(
    name="hypergammon", start=_both_sides({24: 1, 23: 1, 22: 1}), checkers=3, cube=True, rules=_BACKGAMMON_PLAY
)
TRICTRAC = Variant(name="trictrac", start=START, checkers=CHECKERS, cube=False, rules=_TRICTRAC_PLAY)

VARIANTS: Mapping[str, Variant] = {variant.name: variant for variant in (BACKGAMMON, NACKGAMMON, HYPERGAMMON, TRICTRAC)}
"""By name."""
