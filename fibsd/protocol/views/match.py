"""How matches and games begin and end: what players, watchers and the room see (reference 6.1, 6.2, 6.8, 7)."""

from collections.abc import Iterable

from fibsd.backgammon.side import Side
from fibsd.protocol.messages import chat, clip, general, news, own, play
from fibsd.protocol.messages.template import Template, points
from fibsd.protocol.viewer import View
from fibsd.world import events as e
from fibsd.world.account import Toggle
from fibsd.world.results import SERVER_NAME

Lines = Iterable[str]


# --- beginning and going on ------------------------------------------------------------------------------------


def invitation_sent(event: e.InvitationSent, view: View) -> Lines:
    """To the inviter."""
    for length in event.saved[:1]:
        yield (play.WARNING_SAVED_UNLIMITED_INVITER() if length is None else play.WARNING_SAVED_INVITER(n=length))
    if event.resume:
        yield play.INVITED_RESUME(name=event.name)
    elif event.length is None:
        yield play.INVITED_UNLIMITED(name=event.name)
    else:
        yield play.INVITED(name=event.name, n=event.length)
    if event.away is not None:
        yield play.IS_AWAY(name=event.name, text=event.away)


def invitation_got(event: e.InvitationGot, view: View) -> Lines:
    """To the invitee."""
    if event.resume:
        yield view.bell() + play.WANTS_TO_RESUME(inviter=event.inviter)
    elif event.length is None:
        yield view.bell() + play.WANTS_TO_PLAY_UNLIMITED(inviter=event.inviter)
    else:
        yield view.bell() + play.WANTS_TO_PLAY(inviter=event.inviter, n=event.length)
    yield play.TYPE_JOIN(inviter=event.inviter)
    for length in event.saved[:1]:
        yield (play.WARNING_SAVED_UNLIMITED_INVITEE() if length is None else play.WARNING_SAVED_INVITEE(n=length))


def match_joined(event: e.MatchJoined, view: View) -> Lines:
    """To each player, when a new match begins."""
    if view.side is None or not view.playing:
        return
    opponent, invited = event.names.of(view.side.other), view.side is event.inviter
    if event.length is None:
        text = play.JOINED_YOU_UNLIMITED if invited else play.NOW_PLAYING_UNLIMITED
        yield text(opponent=opponent)
    else:
        text = play.JOINED_YOU if invited else play.NOW_PLAYING
        yield text(opponent=opponent, n=event.length)


def match_resumed(event: e.MatchResumed, view: View) -> Lines:
    """To each player, when a saved match goes on."""
    names, match = event.snapshot.names, event.snapshot.match
    yield (play.RESUME_INVITER if event.invited else play.RESUME_JOINER)(opponent=event.opponent)
    if event.turn is not None:
        yield play.RESUME_TURN(name=names.of(event.turn))
    yield play.RESUME_UNLIMITED() if match.length is None else play.RESUME_LENGTH(n=match.length)
    first, second = event.first, event.first.other
    yield play.RESUME_POINTS_1(player1=names.of(first), a=match.score.of(first))
    yield play.RESUME_POINTS_2(player2=names.of(second), b=match.score.of(second))


def report_start(event: e.ReportStart, view: View) -> Lines:
    """For the room and the watchers."""
    if view.on(Toggle.REPORT):
        yield (
            news.REPORT_START_UNLIMITED(player1=event.first, player2=event.second)
            if event.length is None
            else news.REPORT_START(player1=event.first, player2=event.second, n=event.length)
        )


def report_resume(event: e.ReportResume, view: View) -> Lines:
    """For the room and the watchers."""
    if view.on(Toggle.REPORT):
        yield (
            news.REPORT_RESUME_UNLIMITED(player1=event.first, player2=event.second)
            if event.length is None
            else news.REPORT_RESUME(player1=event.first, player2=event.second, n=event.length)
        )


def report_left(event: e.ReportLeft, view: View) -> Lines:
    """For the room; a watcher learns it even if he wants no reports, since his game stops."""
    if view.on(Toggle.REPORT) or view.side is not None:
        yield play.REPORT_LEFT(name=event.name, opponent=event.opponent)


def report_won(event: e.ReportWon, view: View) -> Lines:
    """For the room."""
    if view.on(Toggle.REPORT):
        a, b = event.points
        yield play.REPORT_WINS(winner=event.winner, loser=event.loser, n=event.length, a=a, b=b)


# --- the end ---------------------------------------------------------------------------------------------------


def game_won(event: e.GameWon, view: View) -> Lines:
    """The last checker was borne off."""
    winner = event.names.of(event.side)
    if view.plays(event.side):
        yield play.YOU_WIN_GAME(points=points(event.points))
    elif view.playing:
        yield play.WINS_GAME_SORRY(winner=winner, points=points(event.points))
    else:
        yield play.WINS_GAME(winner=winner, points=points(event.points))


def score_shown(event: e.ScoreShown, view: View) -> Lines:
    """Own name, or the watched player's, first; the players are asked to go on."""
    first = view.side or Side.O
    fields = {
        "player1": event.names.of(first),
        "a": event.score.of(first),
        "player2": event.names.of(first.other),
        "b": event.score.of(first.other),
    }
    yield play.SCORE_UNLIMITED(**fields) if event.length is None else play.SCORE(n=event.length, **fields)
    if view.playing:
        yield play.JOIN_NEXT()


def asked_to_join(event: e.AskedToJoin, view: View) -> Lines:
    """The prompt line of the pause between games."""
    yield play.JOIN_NEXT()


def waits_for_join(event: e.WaitsForJoin, view: View) -> Lines:
    """To the first who goes on."""
    yield play.WAIT_JOIN(opponent=event.opponent)


def rating_shown(event: e.RatingShown, view: View) -> Lines:
    """The rating block (reference 6.12)."""
    if not (view.playing and view.on(Toggle.RATINGS)):
        return
    change = event.change
    winner, loser = change.winner, change.loser
    yield play.RATING_HEADER()
    yield play.RATING_DIFFERENCE(value=f"{change.difference:f}")
    yield play.RATING_LENGTH(n=change.length)
    yield play.RATING_EXPERIENCE(
        player1=winner.name, a=winner.experience_after, player2=loser.name, b=loser.experience_after
    )
    yield play.RATING_PU(value=f"{change.upset:f}")
    yield play.RATING_P(value=f"{change.probability:f}")
    yield play.RATING_K1(winner=winner.name, value=f"{winner.k:f}")
    yield play.RATING_CHANGE_WINNER(winner=winner.name, value=f"{winner.change:f}")
    yield play.RATING_K2(loser=loser.name, value=f"{loser.k:f}")
    yield play.RATING_CHANGE_LOSER(loser=loser.name, value=f"{loser.change:f}")


def match_won(event: e.MatchWon, view: View) -> Lines:
    """The winner's score first, also for the loser."""
    fields = {"n": event.length, "a": event.score.of(event.side), "b": event.score.of(event.side.other)}
    if view.plays(event.side):
        yield play.YOU_WIN_MATCH(**fields)
    else:
        yield play.WINS_MATCH(winner=event.names.of(event.side), **fields)


def you_left(event: e.YouLeft, view: View) -> Lines:
    """To the one who leaves."""
    yield general.TERMINATED()


def your_game_saved(event: e.YourGameSaved, view: View) -> Lines:
    """To the one who logs out."""
    yield play.YOUR_GAME_SAVED(opponent=event.opponent)


def opponent_left(event: e.OpponentLeft, view: View) -> Lines:
    """To the one who stays."""
    if view.clip or not event.voided:
        yield play.OPPONENT_LEFT(name=event.name)


_SAVED: dict[e.Farewell, Template] = {
    e.Farewell.LOGOUT: play.SAVED_OUT,
    e.Farewell.DROP: play.SAVED_DROPS,
    e.Farewell.TIMEOUT: play.SAVED_TIMEOUT,
    e.Farewell.NETWORK_ERROR: play.SAVED_NETERR,
    e.Farewell.CLOSED_OLD: play.SAVED_CLOSED,
    e.Farewell.ADMIN: play.SAVED_ADMIN,
}
_UNWATCHED: dict[e.Farewell, Template] = {
    e.Farewell.LOGOUT: play.UNWATCH_OUT,
    e.Farewell.DROP: play.UNWATCH_DROPS,
    e.Farewell.TIMEOUT: play.UNWATCH_TIMEOUT,
    e.Farewell.NETWORK_ERROR: play.UNWATCH_NETERR,
    e.Farewell.CLOSED_OLD: play.UNWATCH_CLOSED,
    e.Farewell.ADMIN: play.UNWATCH_ADMIN,
}


def opponent_gone(event: e.OpponentGone, view: View) -> Lines:
    """To the player who stays."""
    yield _SAVED[event.how](name=event.name, admin=event.admin)


def watched_gone(event: e.WatchedGone, view: View) -> Lines:
    """To a watcher."""
    yield _UNWATCHED[event.how](name=event.name, admin=event.admin)


_NOTICES: dict[e.NoticeKind, Template] = {
    e.NoticeKind.RESIGNATION_WITHDRAWN: own.OWN_RESIGNATION_WITHDRAWN,
    e.NoticeKind.VOIDED: own.OWN_VOIDED,
    e.NoticeKind.YOU_VOIDED: own.OWN_YOU_VOIDED,
    e.NoticeKind.DECLINED: own.OWN_DECLINED,
    e.NoticeKind.YOU_DECLINED: own.OWN_YOU_DECLINED,
    e.NoticeKind.CORRUPT: own.OWN_CORRUPT,
}


def notice(event: e.Notice, view: View) -> Lines:
    """As it stands where sentences of ours are wanted; else as a tell from the server, as clients know it."""
    text = _NOTICES[event.kind](name=event.name)
    if view.extras:
        yield "** " + text
    else:
        yield (chat.CLIP_SAYS if view.clip else clip.TEL_SAYS)(sender=SERVER_NAME, text=text)
