"""Cycles are looked for when it disturbs nobody, and never among more than some thousand objects but once a day."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from fibsd.server.collector import DAY_S, MIDDLE, MOST, YOUNG, Collector


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


def grow_old() -> None:
    """What is young has outlived the looks at young objects."""
    gc.collect(0)
    gc.collect(1)
    assert gc.get_count()[2] > 0


def lost_and_old() -> "weakref.ref[Node]":
    """A cycle that has outlived the looks at young objects."""
    node = Node()
    lost = weakref.ref(node)
    grow_old()
    return lost


def begun(now: float = 0.0) -> Collector:
    """A collector that has set aside all that there was."""
    collector = Collector(lambda: now)
    collector.begin()
    return collector


def test_what_is_new_is_looked_at_while_others_play():
    collector = begun()
    lost = lost_and_old()
    assert lost() is not None
    collector.look(quiet=False)
    assert lost() is None


def test_what_has_lived_on_is_set_aside():
    collector = begun()
    gc.disable()
    kept = [Node() for _ in range(100)]
    grow_old()
    collector.look(quiet=False)
    gc.enable()
    assert not any(isinstance(one, Node) for one in gc.get_objects())
    assert gc.get_freeze_count() > len(kept)


def test_nothing_is_done_when_nothing_is_new():
    collector = begun()
    found = []
    gc.callbacks.append(lambda phase, info: found.append(phase))
    try:
        collector.look(quiet=True)
    finally:
        gc.callbacks.pop()
    assert found == []


def test_a_look_covers_only_some_thousand_objects_however_many_have_come():
    """While thousands come in between two looks, and all that belongs to them lives on."""
    collector = begun()
    covered = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start" and info["generation"] == 2:
            covered.append(sum(len(gc.get_objects(generation)) for generation in range(3)))

    crowd: list[Node] = []
    gc.callbacks.append(note)
    try:
        for newcomers in (100, 10_000, *(2_500,) * 5, 50_000, 500):
            crowd += [Node() for _ in range(newcomers)]
            collector.look(quiet=True)
    finally:
        gc.callbacks.pop()
    assert covered
    assert max(covered) <= (MOST + 1) * (MIDDLE + 2) * YOUNG
    assert gc.get_freeze_count() > len(crowd)


def test_what_was_set_aside_is_looked_at_once_a_day_while_nobody_plays():
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
