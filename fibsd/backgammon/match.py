"""A match: games to a number of points, or without end."""

import attrs

from fibsd.backgammon.actions import Action
from fibsd.backgammon.errors import IllegalAction, Reason
from fibsd.backgammon.game import Game, GameRules, apply, new_game
from fibsd.backgammon.side import BySide, Side


@attrs.frozen(kw_only=True)
class Match:
    """A match at one moment.

    Attributes:
        length: Points to play for; None is an unlimited match.
        score: Points of each side, never cut down to the length.
        crawford: Whether the Crawford rule was agreed.
        crawford_over: Whether the Crawford game was played before the present one.
        redoubles: How often an offered cube may be turned at once; 0 in a match with a length.
        autodoubles: How many tied opening rolls double the cube; 0 in a match with a length.
        jacoby: Whether the Jacoby rule was agreed; never in a match with a length.
        game: The present game, or the one just finished.
        games: How many games are finished.
    """

    length: int | None
    score: BySide[int]
    crawford: bool
    crawford_over: bool
    redoubles: int
    autodoubles: int
    jacoby: bool = False
    game: Game
    games: int

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
) -> Match:
    """A match before the opening roll of its first game.

    Turning an offered cube, automatic doubles and the Jacoby rule exist in unlimited matches only.
    """
    unlimited = length is None
    rules = GameRules(
        cube=length != 1,
        redoubles=redoubles if unlimited else 0,
        autodoubles=autodoubles if unlimited else 0,
        jacoby=jacoby and unlimited,
    )
    return Match(
        length=length,
        score=BySide.both(0),
        crawford=crawford,
        crawford_over=False,
        redoubles=rules.redoubles,
        autodoubles=rules.autodoubles,
        jacoby=rules.jacoby,
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
        return attrs.evolve(match, game=game)
    score = match.score.put(result.winner, match.score.of(result.winner) + result.points)
    return attrs.evolve(match, game=game, score=score, games=match.games + 1)


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
    crawford_over = match.crawford_over or match.is_crawford_game
    crawford_game = match.crawford and not crawford_over and _one_away(match.length, match.score)
    rules = GameRules(
        cube=match.length != 1 and not crawford_game,
        redoubles=match.redoubles,
        autodoubles=match.autodoubles,
        jacoby=match.jacoby,
    )
    return attrs.evolve(match, score=match.score.swap(), crawford_over=crawford_over, game=new_game(rules))


def _one_away(length: int | None, score: BySide[int]) -> bool:
    """Whether a side lacks one point; from the start in a match to 1 point, where it means nothing."""
    return length is not None and length > 1 and length - 1 in (score.o, score.x)
