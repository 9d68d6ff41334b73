"""Finding users by name."""

import pytest

from fibsd.world.errors import Refusal, Refused
from fibsd.world.ids import UserName
from fibsd.world.watching import start_watching
from tests.support.worlds import begin, result, user, world_of


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Bob", "Bob"),
        ("bob", "Bob"),
        ("BOB", "Bob"),
        ("al", "alan"),
        ("AL", "alan"),
        ("Al", "Alice"),
        ("car", "carol"),
        ("carol", "carol"),
        ("CAROL", "carol"),
        ("carola", "carola"),
    ],
)
def test_exact_names_first_then_any_case_then_unique_beginnings(text, name):
    names = ["Bob", "alan", "Alice"] + (["carol", "carola"] if text != "car" else ["carol"])
    if text == "AL":
        names.remove("Alice")
    assert world_of(*names).find(text).name == name


def test_beginning_of_several_names_lists_them():
    with pytest.raises(Refused) as refused:
        world_of("carol", "carola", "bob").find("ca")
    assert refused.value.refusal is Refusal.AMBIGUOUS_NAME
    assert refused.value.fields == {"names": ("carol", "carola"), "name": "ca"}


@pytest.mark.parametrize("text", ["", "dave", "carolyn"])
def test_names_of_nobody(text):
    with pytest.raises(Refused) as refused:
        world_of("carol").find(text, Refusal.CANT_FIND_PLAYER)
    assert refused.value.refusal is Refusal.CANT_FIND_PLAYER


def test_rows_show_a_game_before_what_is_watched():
    world = world_of("alice", "bob", "carol")
    begin(world, "alice", "bob")
    start_watching(world, user(world, "carol"), user(world, "bob"), result())
    # This cannot come about by commands; a player who watches would be unknown to clients.
    user(world, "bob").watching = UserName("carol")
    rows = world.rows(world.users, 0.0)
    assert [(card.name, card.opponent, card.watching) for card, _ in rows] == [
        ("alice", "bob", None),
        ("bob", "alice", None),
        ("carol", None, "bob"),
    ]


def test_most_users_are_remembered():
    world = world_of("alice", "bob")
    world.remove(UserName("alice"))
    assert (world.most_users, list(world.users)) == (2, ["bob"])
    assert world.exact("alice") is None
