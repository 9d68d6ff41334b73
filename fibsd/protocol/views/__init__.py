"""What each kind of reader sees of each event."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from fibsd.protocol.lines import encode_text
from fibsd.protocol.viewer import View
from fibsd.protocol.views import chat, clock, ghosts, match, play, points, record, refusals, room, terms, text
from fibsd.protocol.wrap import wrapped
from fibsd.world import events as e

Renderer = Callable[[Any, View], Iterable[str]]

RENDERERS: Mapping[type, Renderer] = {
    e.Text: text.text,
    e.RoomLine: room.room_line,
    e.Motd: room.motd,
    e.HelpPage: text.help_page,
    e.Declined: refusals.declined,
    e.Asked: text.asked,
    e.Alert: text.alert,
    e.Attention: text.attention,
    e.ClosedByAdmin: text.closed_by_admin,
    e.Welcomed: room.welcomed,
    e.Arrived: room.arrived,
    e.Awaited: room.awaited,
    e.AwaitedBy: room.awaited_by,
    e.Departed: room.departed,
    e.SaidGoodbye: room.said_goodbye,
    e.TimedOut: room.timed_out,
    e.UserList: room.user_list,
    e.UsersChanged: room.users_changed,
    e.MessagesWaiting: chat.messages_waiting,
    e.InvitationSent: match.invitation_sent,
    e.InvitationGot: match.invitation_got,
    e.TermsOffered: terms.terms_offered,
    e.TermsInForce: terms.terms_in_force,
    e.StakePaid: points.stake_paid,
    e.StakeReturned: points.stake_returned,
    e.SettlementNear: points.settlement_near,
    e.MatchSettled: points.match_settled,
    e.MatchJoined: match.match_joined,
    e.MatchResumed: match.match_resumed,
    e.ReportStart: match.report_start,
    e.ReportResume: match.report_resume,
    e.ReportLeft: match.report_left,
    e.ReportWon: match.report_won,
    e.GameStarted: play.game_started,
    e.OpeningRolled: play.opening_rolled,
    e.CubeRaised: play.cube_raised,
    e.OpeningWon: play.opening_won,
    e.AskedToRoll: play.asked_to_roll,
    e.AskedToMove: play.asked_to_move,
    e.AskedToAnswer: play.asked_to_answer,
    e.Rolled: play.rolled,
    e.CannotMove: play.cannot_move,
    e.Moved: play.moved,
    e.PlaysOn: play.plays_on,
    e.Doubled: play.doubled,
    e.DoubleTaken: play.double_taken,
    e.DoubleDropped: play.double_dropped,
    e.ResignOffered: play.resign_offered,
    e.ResignAccepted: play.resign_accepted,
    e.ResignRejected: play.resign_rejected,
    e.GameWon: match.game_won,
    e.Awarded: terms.awarded,
    e.TimeShort: clock.time_short,
    e.TimeLeftShown: clock.time_left,
    e.MoveList: record.move_list,
    e.WaitsForJoin: match.waits_for_join,
    e.AskedToJoin: match.asked_to_join,
    e.ScoreShown: match.score_shown,
    e.RatingShown: match.rating_shown,
    e.MatchWon: match.match_won,
    e.YouLeft: match.you_left,
    e.YourGameSaved: match.your_game_saved,
    e.OpponentLeft: match.opponent_left,
    e.OpponentGone: match.opponent_gone,
    e.WatchedGone: match.watched_gone,
    e.BoardShown: play.board_shown,
    e.PipCounts: play.pip_counts,
    e.Notice: match.notice,
    e.NowWatching: room.now_watching,
    e.StoppedWatching: room.stopped_watching,
    e.BannedFromWatching: room.banned_from_watching,
    e.WatcherCame: room.watcher_came,
    e.WatcherWent: room.watcher_went,
    e.Told: chat.told,
    e.YouTold: chat.you_told,
    e.Spoke: chat.spoke,
    e.YouSpoke: chat.you_spoke,
    e.MessageSent: chat.message_sent,
    e.MessageGot: chat.message_got,
    e.Who: room.who,
    e.ToggleFlipped: room.toggle_flipped,
    e.ConnectionLost: ghosts.connection_lost,
    e.GhostPlays: ghosts.ghost_plays,
    e.GhostWon: ghosts.ghost_won,
    e.ReturnAwaited: ghosts.return_awaited,
    e.PlayerBack: ghosts.player_back,
    e.GhostReport: ghosts.ghost_report,
}
"""One renderer for each kind of event."""


_DRAWINGS = frozenset({e.OpeningWon, e.Rolled, e.Moved, e.BoardShown, e.HelpPage})
"""Events that may show a board, or that wrap their lines themselves: a wrapped board could not be read."""


def lines_of(event: e.Event, view: View) -> list[str]:
    """The lines that this reader sees of an event, without line ends; none if it is not for him."""
    return list(RENDERERS[type(event)](event, view))


def render(event: e.Event, view: View) -> bytes:
    r"""The bytes that this reader is sent for an event: each line ended by `\r\n`, but a question stays open."""
    return render_all((event,), view)


def render_all(events: Sequence[e.Event], view: View) -> bytes:
    """The bytes that this reader is sent for these events, one after the other."""
    lines: list[str] = []
    for event in events:
        kind = type(event)
        said = RENDERERS[kind](event, view)
        if view.width and kind not in _DRAWINGS:
            said = [piece for line in said for piece in wrapped(line, view.width)]
        if kind is e.Asked and len(events) > 1:
            # Line ends stand between all lines but here.
            return b"".join([render(one, view) for one in events])
        lines += said
    if not lines:
        return b""
    text = "\r\n".join(lines)
    return encode_text(text if kind is e.Asked else text + "\r\n", view.utf8)


_LONG = frozenset({e.UserList, e.Who})


def in_parts(events: Sequence[e.Event], view: View) -> Sequence[Sequence[e.Event]]:
    """The same events, cut in a long list of users: each part is written in less than a millisecond."""
    if _LONG.isdisjoint(map(type, events)):
        return (events,)
    parts: list[list[e.Event]] = [[]]
    for event in events:
        first, *rest = _parts(event, view)
        parts[-1].append(first)
        parts += [[part] for part in rest]
    return parts


def _parts(event: e.Event, view: View) -> Sequence[e.Event]:
    match event:
        case e.UserList():
            return room.parts_of_list(event, view)
        case e.Who():
            return room.parts_of_who(event, view)
        case _:
            return (event,)
