"""What is told of the players' time."""

from collections.abc import Iterable

from fibsd.protocol.messages import clock
from fibsd.protocol.messages.template import plural
from fibsd.protocol.viewer import View
from fibsd.protocol.views.terms import from_server
from fibsd.world import events as e

Lines = Iterable[str]


def time_short(event: e.TimeShort, view: View) -> Lines:
    """To the player whose time runs out."""
    text = clock.CLOCK_SHORT(time=plural(event.seconds, "second"))
    yield f"** {text}" if view.extras else from_server(text, view)


def time_left(event: e.TimeLeftShown, view: View) -> Lines:
    """To who asks: both players' time, in minutes and seconds."""
    names, times = event.names, event.seconds.map(minutes)
    fields = {"player1": names.o, "time1": times.o, "player2": names.x, "time2": times.x}
    if event.running is None:
        yield clock.CLOCK_LEFT(**fields)
    else:
        yield clock.CLOCK_LEFT_RUNS(name=names.of(event.running), **fields)


def minutes(seconds: int) -> str:
    """Seconds as a clock shows them: `1:05`."""
    return f"{seconds // 60}:{seconds % 60:02}"
