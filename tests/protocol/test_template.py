"""Sentences with fields, filled by name or in order."""

import pytest

from fibsd.protocol.messages import play
from fibsd.protocol.messages.template import Template, line


@pytest.mark.parametrize(
    ("template", "fields"),
    [(play.YOU_ROLL, {"d1": 3, "d2": 1}), (play.ROLLS, {"name": "ann", "d1": 3, "d2": 1}), (play.YOU_CANT_MOVE, {})],
)
def test_filled_in_order_is_filled_by_name(template: Template, fields: dict[str, object]) -> None:
    assert template.ordered(*fields) % tuple(fields.values()) == template(**fields)


def test_percent_signs_of_the_text_stay() -> None:
    assert line("1", "self", "{n}% of 100%").ordered("n") % 5 == "5% of 100%"


@pytest.mark.parametrize("fields", [(), ("d1",), ("d2", "d1"), ("d1", "d2", "d3")])
def test_other_fields_than_those_of_the_text_are_a_fault(fields: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="You roll"):
        play.YOU_ROLL.ordered(*fields)
