"""A match: games to a number of points, or without end."""

import attrs

from fibsd.backgammon.actions import Action
from fibsd.backgammon.errors import IllegalAction, Reason
from fibsd.backgammon.game import Ending, Game, GameRules, apply, new_game
from fibsd.backgammon.side import BySide, Side
from fibsd.backgammon.variants import BACKGAMMON, Variant
from fibsd.values import frozen


@frozen
class Match:
    """A match at one moment.

    Attributes:
        length: Points to play for; None is an unlimited match.
        score: Points of each side, never cut down to the length.
        crawford: Whether the Crawford rule was agreed.
        crawford_over: Whether the Crawford game was played before the present one.
        redoubles: How often an offered cube may be turned at once; 0 in a match with a length.
        autodoubles: How many tied opening rolls double the cube; 0 in a match with a length.
        game: The present game, or the one just finished.
        games: How many games are finished, without those annulled.
        jacoby: Whether the Jacoby rule was agreed; never in a match with a length.
        cube: Whether there is a cube in the match at all; each game's rules tell whether it has one.
        variant: What is played.
    """

    length: int | None
    score: BySide[int]
    crawford: bool
    crawford_over: bool
    redoubles: int
    autodoubles: int
    game: Game
    games: int
    jacoby: bool = False
    cube: bool = True
    variant: Variant = BACKGAMMON

    def with_game(self, game: Game) -> "Match":
        """The match with its present game at another moment."""
        # Written out: `evolve` costs three times as much, and every turn makes two of them.
        return Match(
            self.length,
            self.score,
            self.crawford,
            self.crawford_over,
            self.redoubles,
            self.autodoubles,
            game,
            self.games,
            self.jacoby,
            self.cube,
            self.variant,
        )

    @property
    def is_crawford_game(self) -> bool:
        """Whether the present game (or the one just finished) is the one without a cube.

        That is the first one that starts with a side one point away from winning.
        """
        return self.crawford and not self.crawford_over and _one_away(self.length, self._score_at_start)

    @property
    def is_post_crawford(self) -> bool:
        """Whether the present game comes after the Crawford game."""
        return self.crawford and self.crawford_over

    @property
    def is_annulled(self) -> bool:
        """Whether the game just finished does not count."""
        result = self.game.result
        return result is not None and result.ending is Ending.ANNULLED

    @property
    def over(self) -> bool:
        """Whether a side has reached the length."""
        return self.winner is not None

    @property
    def winner(self) -> Side | None:
        """The side that has reached the length."""
        if self.length is None:
            return None
        return next((side for side, points in self.score.items() if points >= self.length), None)

    @property
    def _score_at_start(self) -> BySide[int]:
        result = self.game.result
        if result is None:
            return self.score
        return self.score.put(result.winner, self.score.of(result.winner) - result.points)


def new_match(
    length: int | None,
    crawford: bool,
    redoubles: int = 0,
    autodoubles: int = 0,
    jacoby: bool = False,
    cube: bool = True,
    variant: Variant = BACKGAMMON,
) -> Match:
    """A match before the opening roll of its first game.

    Turning an offered cube, automatic doubles and the Jacoby rule exist in unlimited matches only. Without a cube
    nothing can double; by the Jacoby rule every game is then a single one.

    Args:
        length: Points to play for; None for an unlimited match.
        crawford: Whether the Crawford rule holds.
        redoubles: How often an offered cube may be turned at once.
        autodoubles: How many tied opening rolls double the cube.
        jacoby: Whether the Jacoby rule holds.
        cube: Whether doubling is allowed; never in a variant without a cube.
        variant: What is played.
    """
    unlimited = length is None
    cube = cube and variant.cube
    rules = GameRules(
        cube=cube and length != 1,
        redoubles=redoubles if unlimited and cube else 0,
        autodoubles=autodoubles if unlimited and cube else 0,
        jacoby=jacoby and unlimited,
        variant=variant,
    )
    return Match(
        length=length,
        score=BySide.both(0),
        crawford=crawford,
        crawford_over=False,
        redoubles=rules.redoubles,
        autodoubles=rules.autodoubles,
        jacoby=rules.jacoby,
        cube=cube,
        variant=variant,
        game=new_game(rules),
        games=0,
    )


def act(match: Match, action: Action) -> Match:
    """The match after the action; the points of a finished game are added to the score.

    Raises:
        IllegalAction: The action is not allowed now.
        IllegalPlay: The play is not allowed with these dice.
    """
    game = apply(match.game, action)
    result = game.result
    if result is None:
        return match.with_game(game)
    score = match.score.put(result.winner, match.score.of(result.winner) + result.points)
    return attrs.evolve(match, game=game, score=score, games=match.games + 1)


def annul(match: Match) -> Match:
    """The match as if the game just finished had not been played: its points are taken back.

    The game stays as a finished one without points, so that `next_game` goes on from here, with changed colours.
    An annulled Crawford game is played again as the Crawford game.

    Raises:
        ValueError: The present game is not finished, or was annulled before.
    """
    result = match.game.result
    if result is None:
        raise ValueError("the present game is not finished")
    if match.is_annulled:
        raise ValueError("the game was annulled before")
    game = attrs.evolve(match.game, result=attrs.evolve(result, points=0, ending=Ending.ANNULLED))
    return attrs.evolve(match, score=match._score_at_start, game=game, games=match.games - 1)


def next_game(match: Match) -> Match:
    """The match before the opening roll of its next game; the players have changed colours.

    Raises:
        IllegalAction: The match is over.
        ValueError: The present game is not finished.
    """
    if match.game.result is None:
        raise ValueError("the present game is not finished")
    if match.over:
        raise IllegalAction(Reason.GAME_OVER)
    # A Crawford game that was annulled is played again.
    crawford_over = match.crawford_over or (match.is_crawford_game and not match.is_annulled)
    crawford_game = match.crawford and not crawford_over and _one_away(match.length, match.score)
    rules = GameRules(
        cube=match.cube and match.length != 1 and not crawford_game,
        redoubles=match.redoubles,
        autodoubles=match.autodoubles,
        jacoby=match.jacoby,
        variant=match.variant,
    )
    return attrs.evolve(match, score=match.score.swap(), crawford_over=crawford_over, game=new_game(rules))


def _one_away(length: int | None, score: BySide[int]) -> bool:
    """Whether a side lacks one point; from the start in a match to 1 point, where it means nothing."""
    return length is not None and length > 1 and length - 1 in (score.o, score.x)
