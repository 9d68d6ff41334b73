"""Lines that need no view."""

from collections.abc import Iterable

from fibsd.protocol.messages import clip, news, own
from fibsd.protocol.viewer import View
from fibsd.protocol.wrap import reflowed
from fibsd.world import events as e
from fibsd.world.lobby import SessionKind


def text(event: e.Text, view: View) -> Iterable[str]:
    """As they stand."""
    return event.lines


def asked(event: e.Asked, view: View) -> Iterable[str]:
    """A question; programs need a whole line."""
    yield event.text + ("" if view.kind is SessionKind.TELNET else "\r\n")


def alert(event: e.Alert, view: View) -> Iterable[str]:
    """Message 20 where it is known."""
    if view.alerts:
        yield clip.CLIP_ALERT(sender=event.sender, text=event.text)
    elif view.clip:
        yield news.ATTENTION_CLIP(text=event.text)
    else:
        yield view.bell() + clip.TEL_ALERT(sender=event.sender, text=event.text)


def attention(event: e.Attention, view: View) -> Iterable[str]:
    """A BEL would break a CLIP line."""
    yield (news.ATTENTION_CLIP if view.clip else news.ATTENTION)(text=event.text)


def closed_by_admin(event: e.ClosedByAdmin, view: View) -> Iterable[str]:
    """The last line of a session."""
    yield own.OWN_CLOSED_BY_ADMIN(admin=event.admin, reason=event.reason).rstrip()


def help_page(event: e.HelpPage, view: View) -> Iterable[str]:
    """Paragraphs are set anew for the reader's width; examples, tables and boards stay."""
    return reflowed(event.lines, view.width) if view.width else event.lines
