"""Cycles are looked for when it disturbs nobody."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from fibsd.server.collector import DAY_S, LATEST_S, Collector


class Node:
    """Something that can refer to itself."""

    def __init__(self) -> None:
        self.me = self


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    threshold = gc.get_threshold()
    yield
    gc.set_threshold(*threshold)
    gc.unfreeze()


def lost_and_old() -> "weakref.ref[Node]":
    """A cycle that has outlived the looks at young objects."""
    node = Node()
    lost = weakref.ref(node)
    gc.collect(0)
    gc.collect(1)
    assert gc.get_count()[2] > 0
    return lost


def test_all_is_looked_at_while_nobody_plays():
    collector = Collector(lambda: 0.0)
    collector.begin()
    lost = lost_and_old()
    collector.look(quiet=False)
    assert lost() is not None
    collector.look(quiet=True)
    assert lost() is None


def test_it_is_not_put_off_for_ever():
    now = 0.0
    collector = Collector(lambda: now)
    collector.begin()
    lost = lost_and_old()
    now = LATEST_S
    collector.look(quiet=False)
    assert lost() is None


def test_nothing_is_done_when_nothing_is_new():
    collector = Collector(lambda: 0.0)
    collector.begin()
    found = []
    gc.callbacks.append(lambda phase, info: found.append(phase))
    try:
        collector.look(quiet=True)
    finally:
        gc.callbacks.pop()
    assert found == []


def test_what_has_lived_on_is_looked_at_once_a_day_while_nobody_plays():
    now = 0.0
    collector = Collector(lambda: now)
    collector.begin()
    node = Node()
    lost = weakref.ref(node)
    gc.collect(1)
    collector.look(quiet=True)
    del node
    now = DAY_S - 1
    lost_and_old()
    collector.look(quiet=True)
    assert lost() is not None
    now = DAY_S
    collector.look(quiet=False)
    assert lost() is not None
    collector.look(quiet=True)
    assert lost() is None
