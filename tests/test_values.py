"""Values: refused changes while tests run, the same values without that in a server."""

import importlib.util
from types import ModuleType
from typing import Any

import attrs
import pytest

from fibsd import values
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.game import GameRules, Phase, new_game
from fibsd.backgammon.side import BySide
from fibsd.world.audience import ToSession
from fibsd.world.ids import SessionId


def test_no_value_can_be_changed_while_tests_run() -> None:
    game: Any = new_game(GameRules(cube=True, redoubles=0, autodoubles=0))
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        game.phase = Phase.OVER
    address: Any = ToSession(SessionId(1))
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        address.id = 2
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        game.rules.cube = False


@pytest.fixture
def shipped() -> ModuleType:
    """The module as a server has it."""
    assert values.__spec__ is not None
    assert values.__spec__.origin is not None
    spec = importlib.util.spec_from_file_location("shipped", values.__spec__.origin)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Pair:
    """Two things, to be made a value in both ways."""

    left: int
    right: BySide[int]
    dice: Dice = Dice(1, 2)


def made(decorator: Any, **options: Any) -> Any:
    body = {"__annotations__": Pair.__annotations__, "__module__": __name__, "dice": Pair.dice}
    return decorator(**options)(type("Pair", (), body))


@pytest.mark.parametrize("options", [{}, {"kw_only": True}, {"kw_only": True, "cache_hash": True}, {"eq": False}])
def test_a_value_in_a_server_is_the_same_but_for_that(shipped: ModuleType, options: dict[str, bool]) -> None:
    in_tests, in_server = made(attrs.frozen, **options), made(shipped.frozen, **options)
    given = {"left": 3, "right": BySide(o=1, x=2)}
    one, same, other = in_server(**given), in_server(**given), in_server(left=4, right=BySide(o=1, x=2))
    alike = options.get("eq", True)
    assert (one == same) is alike
    assert one != other
    assert (len({one, same, other}) == 2) is alike
    assert repr(one) == repr(in_tests(**given))
    assert hasattr(one, "__slots__") is hasattr(in_tests(**given), "__slots__")
    assert not hasattr(one, "__dict__")
    assert attrs.evolve(one, left=4).left == 4
    assert one.left == 3
    assert [field.name for field in attrs.fields(in_server)] == [field.name for field in attrs.fields(in_tests)]


def test_a_value_in_a_server_costs_no_call_for_each_attribute(shipped: ModuleType) -> None:
    one = made(shipped.frozen)(3, BySide(o=1, x=2))
    one.left = 5
    assert one.left == 5
    assert type(one).__setattr__ is object.__setattr__
