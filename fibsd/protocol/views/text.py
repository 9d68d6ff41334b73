"""Lines that need no view."""

from collections.abc import Iterable

from fibsd.protocol.viewer import View
from fibsd.world import events as e


def text(event: e.Text, view: View) -> Iterable[str]:
    """As they stand."""
    return event.lines
