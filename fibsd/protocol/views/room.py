"""Coming, going, lists of users: what the room sees (reference 1.3, 1.5, 1.8, 2, 9.1, 9.5, 10)."""

from collections.abc import Iterable, Mapping, Sequence

import attrs

from fibsd.protocol.clock import asctime, clock_hhmm, idle_hm
from fibsd.protocol.messages import chat, clip, general, lists, news, session, settings
from fibsd.protocol.messages.template import Template
from fibsd.protocol.viewer import View
from fibsd.world import events as e
from fibsd.world.account import UNLIMITED_REDOUBLES, Toggle

Lines = Iterable[str]


# --- login -----------------------------------------------------------------------------------------------------


def welcomed(event: e.Welcomed, view: View) -> Lines:
    """The first lines of a session; a fresh registration has had its own."""
    account = event.account
    last, host = account.last_login, account.last_host
    last_login = event.now if last is None else last
    last_host = event.host if host is None else host
    if event.registered:
        yield session.REG_DONE()
        yield session.REG_BEGINNER()
    elif view.clip:
        # One line break ends the `login: ` line; some clients wait for it (reference 1.3).
        yield ""
        if event.again:
            yield session.ALREADY_LOGGED_IN()
        yield clip.CLIP_WELCOME(name=account.name, time=int(last_login), host=last_host)
        yield own_info(event)
        yield from motd_lines(event.motd, view)
        yield ""
    else:
        yield session.AUTHENTICATED(name=account.name)
        yield session.LAST_LOGIN(date=asctime(last_login), host=last_host)
        if event.again:
            yield session.ALREADY_LOGGED_IN()
        yield from event.motd


def motd_lines(motd: tuple[str, ...], view: View) -> Lines:
    """The message of the day, between `3` and `4` for CLIP sessions."""
    if not view.clip:
        yield from motd
        return
    yield clip.CLIP_MOTD_BEGIN()
    yield from motd
    yield clip.CLIP_MOTD_END()


def motd(event: e.Motd, view: View) -> Lines:
    """On request."""
    return motd_lines(event.lines, view)


def redoubles_text(redoubles: int) -> str:
    """`none`, a number, or `unlimited`."""
    if redoubles == 0:
        return "none"
    return "unlimited" if redoubles >= UNLIMITED_REDOUBLES else str(redoubles)


_TOGGLES = {toggle.value: toggle for toggle in Toggle}


def own_info(event: e.Welcomed) -> str:
    """The `2` line: 22 words."""
    own, account = event.settings, event.account
    toggles = own.toggles

    def flag(name: str) -> str:
        return "1" if _TOGGLES[name] in toggles else "0"

    redoubles = "0" if own.redoubles == 0 else redoubles_text(own.redoubles)
    first = [flag(name) for name in ("allowpip", "autoboard", "autodouble", "automove")]
    second = [flag(name) for name in ("bell", "crawford", "double")]
    third = [flag(name) for name in ("greedy", "moreboards", "moves", "notify")]
    words = [
        *("2", account.name, *first, "1" if event.away else "0", *second, str(account.experience), *third),
        *(f"{account.rating:.2f}", flag("ratings"), flag("ready"), redoubles, flag("report"), flag("silent")),
        own.timezone,
    ]
    return " ".join(words)


def said_goodbye(event: e.SaidGoodbye, view: View) -> Lines:
    """One client wants exactly 29 blanks before the word."""
    yield session.GOODBYE()
    yield session.GOODBYE_TEXT()


def timed_out(event: e.TimedOut, view: View) -> Lines:
    """To a session that was idle too long."""
    yield session.TIMED_OUT()


# --- news of others --------------------------------------------------------------------------------------------

_ARRIVED: Mapping[e.Arrival, tuple[Template, Template]] = {
    e.Arrival.LOGIN: (news.CLIP_LOGIN, news.TEL_LOGIN),
    e.Arrival.AGAIN: (news.CLIP_LOGIN_AGAIN, news.TEL_LOGIN_AGAIN),
    e.Arrival.REGISTERED: (news.CLIP_REGISTERED, news.TEL_REGISTERED),
}
_DEPARTED: Mapping[e.Farewell, tuple[Template, Template]] = {
    e.Farewell.LOGOUT: (news.CLIP_LEAVE_OUT, news.TEL_LEAVE_OUT),
    e.Farewell.DROP: (news.CLIP_LEAVE_DROPS, news.TEL_LEAVE_DROPS),
    e.Farewell.TIMEOUT: (news.CLIP_LEAVE_TIMEOUT, news.TEL_LEAVE_TIMEOUT),
    e.Farewell.NETWORK_ERROR: (news.CLIP_LEAVE_NETERR, news.TEL_LEAVE_NETERR),
    e.Farewell.CLOSED_OLD: (news.CLIP_LEAVE_CLOSED, news.TEL_LEAVE_CLOSED),
    e.Farewell.ADMIN: (news.CLIP_LEAVE_ADMIN, news.TEL_LEAVE_ADMIN),
}


def arrived(event: e.Arrived, view: View) -> Lines:
    """For those with `notify` on."""
    if view.on(Toggle.NOTIFY):
        in_clip, in_words = _ARRIVED[event.how]
        yield (in_clip if view.clip else in_words)(name=event.name)


def awaited(event: e.Awaited, view: View) -> Lines:
    """To one who has typed `waitfor`."""
    yield general.WAITFOR_FINALLY(name=event.name)


def awaited_by(event: e.AwaitedBy, view: View) -> Lines:
    """To the one who was waited for."""
    yield general.WAITFOR_WAITING(waiter=event.waiter)


def departed(event: e.Departed, view: View) -> Lines:
    """For those with `notify` on."""
    if view.on(Toggle.NOTIFY):
        in_clip, in_words = _DEPARTED[event.how]
        yield (in_clip if view.clip else in_words)(name=event.name, admin=event.admin)


def room_line(event: e.RoomLine, view: View) -> Lines:
    """For those with `notify` on."""
    if view.on(Toggle.NOTIFY):
        yield event.text


def now_watching(event: e.NowWatching, view: View) -> Lines:
    """To the watcher."""
    yield news.NOW_WATCHING(watched=event.watched)
    if not event.playing:
        yield news.NOT_INTERESTING(watched=event.watched)


def stopped_watching(event: e.StoppedWatching, view: View) -> Lines:
    """To the watcher."""
    yield news.STOP_WATCHING(watched=event.watched)


def banned_from_watching(event: e.BannedFromWatching, view: View) -> Lines:
    """To a watcher who was blinded."""
    yield chat.BANS_WATCHING(name=event.name)


def watcher_came(event: e.WatcherCame, view: View) -> Lines:
    """To both players."""
    yield (news.IS_WATCHING_YOU if event.you else news.STARTS_WATCHING)(watcher=event.watcher, watched=event.watched)


def watcher_went(event: e.WatcherWent, view: View) -> Lines:
    """To both players."""
    yield (news.STOPS_WATCHING_YOU if event.you else news.STOPS_WATCHING)(watcher=event.watcher, watched=event.watched)


# --- lists of users --------------------------------------------------------------------------------------------


PART = 1_280
"""Users in one part of a long list: a quarter of a millisecond, or three quarters if no line of theirs was kept."""
TEXT_PART = 150
"""The same for a list that people read: a millisecond."""

_WHO_END = clip.CLIP_WHO_END()


def _halves(card: e.WhoCard) -> tuple[str, str]:
    """The `5` line before and behind the idle time; kept with the card."""
    before = (
        f"5 {card.name} {card.opponent or '-'} {card.watching or '-'} {card.ready:d} {card.away:d} "
        f"{card.rating:.2f} {card.experience} "
    )
    card.line = before, f" {card.login} {card.host} {card.client or '-'} {card.email or '-'}"
    return card.line


def who_line(row: e.WhoRow) -> str:
    """The `5` line: 13 words."""
    card, idle_s = row
    before, behind = card.line or _halves(card)
    return f"{before}{idle_s}{behind}"


def _pieces(sheet: e.Sheet) -> list[str]:
    """The `5` lines of a sheet between its idle times; kept with the sheet."""
    pieces = [""]
    for card in sheet.cards:
        before, behind = card.line or _halves(card)
        pieces[-1] += before
        pieces += ["", behind + "\r\n"]
    # Line ends stand between lines.
    pieces[-1] = pieces[-1].removesuffix("\r\n")
    sheet.pieces = pieces
    return pieces


def _lines(sheet: e.Sheet, now: float) -> str:
    """The `5` lines of a sheet; kept with it as long as they would be the same.

    When all come back after a restart, some tens or hundreds of them ask within a second.
    """
    heard = sheet.last_heard()
    second = int(now)
    # Who has typed in that very moment may have done so behind the list.
    if int(sheet.moment) != second or max(heard) >= sheet.moment:
        pieces = sheet.pieces or _pieces(sheet)
        # As `Presence.idle_s` has it, without a call for each.
        pieces[1::2] = map(repr, [second - int(at) if at < now else 0 for at in heard])
        sheet.lines, sheet.moment = "".join(pieces), now
    return sheet.lines


def user_list(event: e.UserList, view: View) -> Lines:
    """For CLIP sessions; many lines in one."""
    # The longest list there is: who stands on a sheet with others is not looked at.
    for sheet in event.sheets:
        yield _lines(sheet, event.now)
    if event.ends:
        yield clip.CLIP_WHO_END()


def parts_of_list(event: e.UserList, view: View) -> Sequence[e.UserList]:
    """A long list as several shorter ones, so that nobody has to wait until all of it is written."""
    parts = []
    first = users = 0
    last = len(event.sheets) - 1
    for number, sheet in enumerate(event.sheets):
        users += len(sheet.cards)
        if users >= PART or number == last:
            end = number + 1
            parts.append(e.UserList(event.sheets[first:end], event.now, event.ends and number == last))
            first, users = end, 0
    return parts or (event,)


def parts_of_who(event: e.Who, view: View) -> Sequence[e.Who]:
    """The same for the answer to `who`."""
    rows, part = event.rows, PART if view.clip else TEXT_PART
    if len(rows) <= part:
        return (event,)
    starts = range(0, len(rows), part)
    return [
        attrs.evolve(event, rows=rows[start : start + part], begins=start == 0, ends=start == starts[-1])
        for start in starts
    ]


def users_changed(event: e.UsersChanged, view: View) -> Lines:
    """Text sessions are told nothing."""
    if view.clip:
        for row in event.rows:
            yield who_line(row)
            yield _WHO_END


def who(event: e.Who, view: View) -> Lines:
    """The answer to `who` and `rawwho`, in the three forms of FIBS."""
    if view.clip:
        if event.unknown is not None:
            yield general.NO_ONE_CALLED(name=event.unknown)
        yield from map(who_line, event.rows)
        if event.ends:
            yield clip.CLIP_WHO_END()
    elif event.raw:
        for row in event.rows:
            card = row[0]
            yield lists.RAWWHO_ROW(status=_status(card, "-"), **_columns(row, card.name, event))
        if event.unknown is not None:
            yield general.NO_ONE_CALLED(name=event.unknown)
        if event.ends:
            yield lists.RAWWHO_END()
    elif event.unknown is not None:
        yield general.NO_ONE_CALLED(name=event.unknown)
    else:
        if event.begins:
            yield lists.WHO_HEADER()
        for row in event.rows:
            card = row[0]
            yield lists.WHO_ROW(status=_status(card, " "), **_columns(row, card.name[:14], event))


def _status(card: e.WhoCard, nothing: str) -> str:
    """Playing or ready, watching, away: three columns."""
    playing = "P" if card.opponent else "R" if card.ready else nothing
    return f"{playing}{'W' if card.watching else nothing}{'A' if card.away else nothing}"


def _columns(row: e.WhoRow, name: str, event: e.Who) -> dict[str, object]:
    card, idle_s = row
    return {
        "no": card.number,
        "name": name,
        "rating": f"{card.rating:.2f}",
        "exp": card.experience,
        "login": clock_hhmm(card.login, event.timezone),
        "idle": idle_hm(idle_s),
        "host": card.host,
    }


# --- settings --------------------------------------------------------------------------------------------------


def toggle_flipped(event: e.ToggleFlipped, view: View) -> Lines:
    """The sentence of a switch."""
    name = f"TOGGLE_{event.toggle.name}_{'YES' if event.on else 'NO'}"
    template: Template = getattr(settings, name)
    yield template()
