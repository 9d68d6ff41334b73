"""What is told of stakes, and of saved matches that the server settles."""

from collections.abc import Iterable
from datetime import UTC, datetime

from fibsd.protocol.messages import points
from fibsd.protocol.viewer import View
from fibsd.protocol.views.terms import from_server
from fibsd.world import events as e

Lines = Iterable[str]


def _news(text: str, view: View) -> Lines:
    yield f"** {text}" if view.extras else from_server(text, view)


def stake_paid(event: e.StakePaid, view: View) -> Lines:
    """To both players: what the winner gets."""
    if event.you:
        return _news(points.POINTS_WON(points=event.points), view)
    return _news(points.POINTS_LOST(winner=event.winner, points=event.points), view)


def stake_returned(event: e.StakeReturned, view: View) -> Lines:
    """To both players: what each has back."""
    return _news(points.POINTS_RETURNED(points=event.points), view)


def settlement_near(event: e.SettlementNear, view: View) -> Lines:
    """To a player who logs in: the day, by UTC like the times of messages."""
    moment = datetime.fromtimestamp(event.at, UTC)
    day = f"{moment:%B} {moment.day}"
    return _news(points.SETTLEMENT_NEAR(name=event.opponent, day=day), view)


def match_settled(event: e.MatchSettled, view: View) -> Lines:
    """To a player on-line: how it ended."""
    return _news(points.SETTLED(text=event.text), view)
