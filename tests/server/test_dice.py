"""Rolls come from the operating system's random bytes, and all of them are equally likely."""

import itertools
from collections import Counter

import pytest

from fibsd.backgammon.dice import Dice
from fibsd.server import dice
from fibsd.server.dice import SystemChance


def test_each_roll_stands_for_as_many_bytes_as_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def urandom(count: int) -> bytes:
        asked.append(count)
        return bytes(range(256))

    monkeypatch.setattr(dice.os, "urandom", urandom)
    chance = SystemChance()
    rolls = Counter(chance.roll() for _ in range(7 * 36))
    assert rolls == Counter({Dice(first, second): 7 for first, second in itertools.product(range(1, 7), range(1, 7))})
    assert asked == [dice.BLOCK]
    chance.roll()
    assert len(asked) == 2, "the bytes that would favour some rolls are thrown away"


def test_two_servers_do_not_roll_the_same():
    one, other = SystemChance(), SystemChance()
    # That 40 rolls are the same has a chance of 10 to the -62.
    assert [one.roll() for _ in range(40)] != [other.roll() for _ in range(40)]


def test_draws_are_fair():
    chance = SystemChance()
    # Outside of this lies a draw in 10 to the 9.
    assert 4_700 < sum(chance.coin() for _ in range(10_000)) < 5_300
