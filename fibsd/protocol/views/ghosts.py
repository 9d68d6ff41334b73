"""What is told of the term `ghost`: as lines to those who want what FIBS has not, else as the server's tells."""

from collections.abc import Iterable

from fibsd.protocol.messages import ghosts
from fibsd.protocol.messages.template import plural
from fibsd.protocol.viewer import View
from fibsd.protocol.views.terms import from_server
from fibsd.world import events as e

Lines = Iterable[str]


def _said(text: str, view: View) -> str:
    return f"** {text}" if view.extras else from_server(text, view)


def connection_lost(event: e.ConnectionLost, view: View) -> Lines:
    """To the opponent, at once."""
    text = ghosts.GHOST_LOST if event.running else ghosts.GHOST_LOST_PAUSE
    yield _said(text(name=event.name, n=event.wait_s), view)


def ghost_plays(event: e.GhostPlays, view: View) -> Lines:
    """To the opponent, when the server takes over."""
    yield _said(ghosts.GHOST_PLAYS(name=event.name), view)
    yield _said(ghosts.GHOST_RULE(), view)


def ghost_won(event: e.GhostWon, view: View) -> Lines:
    """Why the score that follows is what it was; watchers are told only if they want what FIBS has not."""
    if view.playing or view.extras:
        yield _said(ghosts.GHOST_WON(winner=event.names.of(event.side)), view)


def return_awaited(event: e.ReturnAwaited, view: View) -> Lines:
    """To the opponent, when a game is over."""
    yield _said(ghosts.GHOST_AWAITS(name=event.name, n=event.wait_s), view)


def player_back(event: e.PlayerBack, view: View) -> Lines:
    """To the opponent."""
    yield _said(ghosts.GHOST_BACK(name=event.name), view)


def ghost_report(event: e.GhostReport, view: View) -> Lines:
    """To the one who is back, before his match is shown to him."""
    if event.plays is not None:
        yield _said(ghosts.GHOST_MADE(moves=plural(event.plays, "move")), view)
    if event.won is not None:
        yield _said((ghosts.GHOST_WON_YOURS if event.won else ghosts.GHOST_LOST_YOURS)(), view)
    if event.join_s is not None:
        yield _said(ghosts.GHOST_JOIN(n=event.join_s), view)
