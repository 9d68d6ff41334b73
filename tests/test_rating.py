"""Ratings: the documented examples and a table computed elsewhere."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fibsd.rating import RatingChange, Standing, experience_factor, rate, upset_probability
from tests.support.oracle import csv_rows
from tests.support.strategies import examples

ratings = st.floats(-1000, 4000)
experiences = st.integers(0, 10**6)
lengths = st.integers(1, 99)


def change(winner: float, loser: float, length: int, experience: int = 1000) -> RatingChange:
    return rate(
        Standing(name="alice", rating=winner, experience=experience),
        Standing(name="bob", rating=loser, experience=experience),
        length,
    )


# -- Documented examples -------------------------------------------------------------------------------------


def test_an_even_match_to_one_point_between_experienced_players_moves_two_points() -> None:
    result = change(1500, 1500, 1)
    assert (result.winner.change, result.loser.change) == (2.0, -2.0)
    assert result.probability == result.upset == 0.5


@pytest.mark.parametrize(
    ("experience", "k"), [(0, 5), (350, 1.5), (385, 1.15), (399, 1.01), (400, 1), (401, 1), (10**9, 1)]
)
def test_the_factor_falls_to_one_at_an_experience_of_400(experience: int, k: float) -> None:
    assert experience_factor(experience) == pytest.approx(k, abs=1e-12)


@pytest.mark.parametrize(
    ("difference", "length", "percent"),
    [
        (100, 1, 52.9),
        (100, 13, 60.2),
        (300, 1, 58.5),
        (300, 3, 64.5),
        (300, 5, 68.4),
        (300, 7, 71.4),
        (300, 9, 73.8),
    ],
)
def test_the_better_player_is_favoured_more_in_longer_matches(difference: float, length: int, percent: float) -> None:
    assert round(100 * (1 - upset_probability(difference, length)), 1) == percent


def test_nothing_is_rounded() -> None:
    result = change(1500, 1500, 5)
    assert result.winner.change == pytest.approx(4.472135955, abs=1e-9)
    assert result.winner.change + result.loser.change == 0
    assert result.winner.rating_after == pytest.approx(1504.472135955, abs=1e-9)
    assert (f"{result.winner.rating_after:.2f}", f"{result.loser.rating_after:.2f}") == ("1504.47", "1495.53")


@pytest.mark.parametrize(("winner", "loser", "points"), [(1700, 1400, 3.142692), (1400, 1700, 8.857308)])
def test_an_upset_moves_more_than_what_was_expected(winner: float, loser: float, points: float) -> None:
    result = change(winner, loser, 9)
    assert result.upset == pytest.approx(0.261891, abs=1e-6)
    assert result.difference == 300
    assert result.winner.change == pytest.approx(points, abs=1e-6)
    assert result.loser.change == pytest.approx(-points, abs=1e-6)


def test_experience_counts_after_the_match_length_has_been_added() -> None:
    result = change(1500, 1500, 5, experience=395)
    assert (result.winner.experience_before, result.winner.experience_after) == (395, 400)
    assert result.winner.k == 1
    assert result.winner.change == pytest.approx(4.472136, abs=1e-6)
    newcomer = change(1500, 1500, 1, experience=0)
    assert newcomer.loser.k == pytest.approx(4.99)
    assert newcomer.loser.change == pytest.approx(-9.98)


def test_each_player_has_a_factor_of_his_own() -> None:
    result = rate(
        Standing(name="alice", rating=1500, experience=98),
        Standing(name="bob", rating=1500, experience=5832),
        2,
    )
    assert (result.winner.name, result.winner.k, result.loser.name, result.loser.k) == ("alice", 4, "bob", 1)
    assert result.winner.change == pytest.approx(-4 * result.loser.change)


@pytest.mark.parametrize("length", [1, 9, 99])
def test_absurd_ratings_give_a_probability_of_nought_or_one(length: int) -> None:
    assert upset_probability(700000 - 1500, length) == 0
    assert upset_probability(math.inf, length) == 0
    assert upset_probability(-700000, length) == 1
    expected = change(700000, 1500, length)
    assert (expected.winner.change, expected.loser.change) == (0, 0)
    assert change(1500, 700000, length).probability == 1


# -- Table ---------------------------------------------------------------------------------------------------


def test_every_row_of_the_table_of_ratings() -> None:
    rows = csv_rows("ratings.csv")
    assert rows
    for row in rows:
        players = {
            number: Standing(name=number, rating=float(row[f"rating{number}"]), experience=int(row[f"exp{number}"]))
            for number in ("1", "2")
        }
        winner = players.pop(row["winner"])
        (loser,) = players.values()
        result = rate(winner, loser, int(row["length"]))
        assert (f"{result.upset:.6f}", f"{result.probability:.6f}") == (row["p_upset"], row["p"]), row
        for player in (result.winner, result.loser):
            expected = [row[f"{column}{player.name}"] for column in ("k", "change", "new", "shown", "newexp")]
            assert [
                f"{player.k:.6f}",
                f"{player.change:.6f}",
                f"{player.rating_after:.6f}",
                f"{player.rating_after:.2f}",
                str(player.experience_after),
            ] == expected, row


# -- Properties ----------------------------------------------------------------------------------------------


@given(ratings, ratings, experiences, experiences, lengths)
@examples(200)
def test_winners_gain_what_losers_lose_by_their_own_factors(
    winner: float, loser: float, winner_experience: int, loser_experience: int, length: int
) -> None:
    result = rate(
        Standing(name="alice", rating=winner, experience=winner_experience),
        Standing(name="bob", rating=loser, experience=loser_experience),
        length,
    )
    assert 0 <= result.upset <= 0.5 <= result.upset + 0.5 <= 1
    assert result.winner.change >= 0 >= result.loser.change
    assert result.winner.change / result.winner.k == pytest.approx(-result.loser.change / result.loser.k)
    for player in (result.winner, result.loser):
        assert player.rating_after == player.rating_before + player.change
        assert player.experience_after == player.experience_before + length
        assert 1 <= player.k <= 5
    # Who wins decides the share: both together make the whole stake.
    other = rate(
        Standing(name="bob", rating=loser, experience=0),
        Standing(name="alice", rating=winner, experience=0),
        length,
    )
    if winner != loser:
        assert result.probability + other.probability == pytest.approx(1)
