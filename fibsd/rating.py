"""The ratings of the First Internet Backgammon Server: plain arithmetic (FIBS help: formula).

With D the difference of the ratings and N the match length the underdog wins with the probability
Pu = 1 / (10^(D * sqrt(N) / 2000) + 1). The winner gains and the loser loses 4 * K * sqrt(N) * P, each with
a K of his own, where P is Pu if the favourite has won and 1 - Pu if the underdog has.
"""

import math

from fibsd.values import frozen


@frozen(kw_only=True)
class Standing:
    """A player's rating and experience (the sum of the lengths of all rated matches played)."""

    name: str
    rating: float
    experience: int


@frozen(kw_only=True)
class PlayerChange:
    """What a match does to a player's standing; nothing is rounded.

    Attributes:
        name: The player.
        rating_before: The rating at the end of the match.
        experience_before: The experience without the match.
        experience_after: The experience with it, from which `k` comes.
        k: The experience factor.
        change: What is added to the rating, negative for the loser.
        rating_after: The new rating.
    """

    name: str
    rating_before: float
    experience_before: int
    experience_after: int
    k: float
    change: float
    rating_after: float


@frozen(kw_only=True)
class RatingChange:
    """What a match does to the standings of both players.

    Attributes:
        length: The match length N.
        difference: The absolute difference of the ratings D.
        upset: The probability that the underdog wins Pu.
        probability: The probability used in the change P.
        winner: The winner's change.
        loser: The loser's change.
    """

    length: int
    difference: float
    upset: float
    probability: float
    winner: PlayerChange
    loser: PlayerChange


def experience_factor(experience: int) -> float:
    """The factor K: 5 for a newcomer, falling evenly to 1 at an experience of 400 and staying there.

    Args:
        experience: With the length of the present match already added.
    """
    return max(1.0, 5 - experience / 100)


def upset_probability(difference: float, length: int) -> float:
    """The probability, 0 to 1, that the player rated lower by this difference wins a match of this length."""
    try:
        return 1 / (10 ** (difference * math.sqrt(length) / 2000) + 1)
    except OverflowError:
        # Ratings that far apart come from damaged or foreign data only; the result is still recorded.
        return 0.0


def rate(winner: Standing, loser: Standing, length: int) -> RatingChange:
    """The changes of both ratings by a finished match of this length."""
    difference = abs(winner.rating - loser.rating)
    upset = upset_probability(difference, length)
    probability = upset if winner.rating > loser.rating else 1 - upset
    points = 4 * math.sqrt(length) * probability
    return RatingChange(
        length=length,
        difference=difference,
        upset=upset,
        probability=probability,
        winner=_changed(winner, length, points),
        loser=_changed(loser, length, -points),
    )


def _changed(player: Standing, length: int, points: float) -> PlayerChange:
    experience = player.experience + length
    k = experience_factor(experience)
    return PlayerChange(
        name=player.name,
        rating_before=player.rating,
        experience_before=player.experience,
        experience_after=experience,
        k=k,
        change=k * points,
        rating_after=player.rating + k * points,
    )
