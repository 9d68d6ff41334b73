"""Commands that list users and matches: who, whois, ratings, show, last, where."""

from collections.abc import Callable, Mapping

import attrs

from fibsd.commands import play
from fibsd.commands.call import Call, Services
from fibsd.commands.helps import show_legal
from fibsd.commands.options import show_options
from fibsd.commands.points import show_points
from fibsd.commands.seek import list_seeks
from fibsd.protocol.clock import short_date
from fibsd.protocol.messages import lists, own, terms
from fibsd.protocol.messages.template import plural
from fibsd.protocol.words import first_word, number
from fibsd.storage.store import Ranked
from fibsd.world.account import Account, SortWho, Toggle
from fibsd.world.audience import Result
from fibsd.world.errors import Refusal, Refused
from fibsd.world.events import Declined, Text, UserList, Who
from fibsd.world.lobby import Presence, SessionKind
from fibsd.world.table import Table
from fibsd.world.world import World

RANKED_EXPERIENCE = 50
"""Experience from which a player has a rank (FIBS help: ratings)."""
RATINGS_LIMIT = 100

# --- who -------------------------------------------------------------------------------------------------------

_ORDERS: Mapping[SortWho, Callable[[Presence], tuple[float, str]]] = {
    SortWho.LOGIN: lambda user: (user.number, ""),
    SortWho.NAME: lambda user: (0.0, user.name.lower()),
    SortWho.RATING: lambda user: (user.account.rating, user.name.lower()),
    SortWho.RRATING: lambda user: (-user.account.rating, user.name.lower()),
}
_FILTERS: Mapping[str, Callable[[Presence], bool]] = {
    "ready": lambda user: user.on(Toggle.READY) and user.table is None,
    "away": lambda user: user.away is not None,
    "playing": lambda user: user.table is not None,
}
_OWN_FILTERS: Mapping[str, Callable[[Presence], bool]] = {
    "bots": lambda user: user.account.is_bot,
    "humans": lambda user: not user.account.is_bot,
}
"""Filters of ours: a user of such a name comes first."""


def who(call: Call, world: World) -> Result:
    """List users on-line."""
    return _who(call, world, raw=False)


def rawwho(call: Call, world: World) -> Result:
    """List users on-line for programs."""
    return _who(call, world, raw=True)


def _who(call: Call, world: World, *, raw: bool) -> Result:
    me, words = world.users[call.user], call.words
    if words and words[0].lower() == "count":
        return _count(call, world, me)
    unknown = None
    chosen: list[Presence] = []
    if not words:
        chosen = list(world.users.values())
    elif len(words) > 1 and words[0].lower() == "from":
        part = words[1].lower()
        chosen = [user for user in world.users.values() if part in user.connection.host.lower()]
    elif words[0].lower() in _FILTERS:
        chosen = list(filter(_FILTERS[words[0].lower()], world.users.values()))
    elif words[0].lower() in _OWN_FILTERS and world.exact(words[0]) is None:
        chosen = list(filter(_OWN_FILTERS[words[0].lower()], world.users.values()))
    else:
        try:
            chosen = [world.find(words[0])]
        except Refused as refused:
            if refused.refusal is Refusal.AMBIGUOUS_NAME:
                return _ambiguous(call, me, refused, raw)
            unknown = words[0]
    chosen.sort(key=_ORDERS[me.settings.sortwho])
    rows = tuple(world.row(user, call.now) for user in chosen)
    event = Who(rows=rows, raw=raw, timezone=me.settings.timezone, now=call.now, unknown=unknown)
    out = call.result()
    out.tell(call.me, event, shows=tuple(user.name for user in chosen))
    return out


def _ambiguous(call: Call, me: Presence, refused: Refused, raw: bool) -> Result:
    """The names to choose from; whoever waits for the end of a list gets it none the less."""
    out = call.say(Declined(refused.refusal, refused.fields))
    if raw or me.connection.kind is SessionKind.CLIP:
        out.tell(call.me, Who(rows=(), raw=raw, timezone=me.settings.timezone, now=call.now))
    return out


def _count(call: Call, world: World, me: Presence) -> Result:
    out = call.reply(lists.WHO_COUNT(n=len(world.users)))
    if me.connection.kind is SessionKind.CLIP:
        # Some clients wait for the `6` after every `who`.
        out.tell(call.me, UserList())
    return out


# --- whois, where, last ----------------------------------------------------------------------------------------


async def find_account(call: Call, world: World, services: Services) -> Account | None:
    """The account of a user who is not on-line."""
    name = first_word(call.args)
    return await services.store.account(name) if name and world.exact(name) is None else None


def _online_or_stored(call: Call, world: World, name: str, refusal: Refusal) -> tuple[Account, Presence | None]:
    """A user by name, on-line or not; exact names first, then a unique prefix of somebody on-line.

    Raises:
        Refused: With the given refusal, if nobody has that name.
    """
    online = world.exact(name)
    if online is None and isinstance(call.facts, Account):
        return call.facts, None
    online = online or world.find(name, refusal)
    return online.account, online


def whois(call: Call, world: World) -> Result:
    """Tell about a user, on-line or not."""
    words = call.words
    if not words:
        raise Refused(Refusal.WHOIS_ARGUMENT)
    account, online = _online_or_stored(call, world, words[0], Refusal.NO_INFORMATION)
    out = call.result()
    lines = _whois_lines(call, world, account, online)
    out.tell(call.me, Text(tuple(lines)), shows=(account.name,))
    return out


def _whois_lines(call: Call, world: World, account: Account, online: Presence | None) -> list[str]:
    me = world.users[call.user]
    zone = me.settings.timezone
    lines = [lists.WHOIS_NAME(name=account.name)]
    if account.last_login is None:
        lines.append(lists.WHOIS_NEVER())
    else:
        date = short_date(account.last_login, zone)
        lines.append(lists.WHOIS_LAST_LOGIN(date=date, host=account.last_host or "unknown"))
    if online is None:
        if account.last_logout is not None:
            lines.append(lists.WHOIS_LAST_LOGOUT(date=short_date(account.last_logout, zone)))
        lines.append(lists.WHOIS_OFFLINE())
    else:
        lines += _online_lines(world, online, call.now)
    lines.append(lists.WHOIS_RATING(rating=f"{account.rating:.2f}", exp=account.experience))
    email = account.settings.email
    lines.append(lists.WHOIS_NO_EMAIL() if email is None else lists.WHOIS_EMAIL(email=email))
    if online is not None and online.table is not None and me.extras:
        lines += _terms_rows(world.tables[online.table])
    if account.is_bot and me.extras:
        lines.append(own.OWN_WHOIS_BOT(name=account.name))
    return lines


def _online_lines(world: World, user: Presence, now: float) -> list[str]:
    idle = max(0, int(now - user.last_input))
    if idle < 60:
        lines = [lists.WHOIS_STILL_SECONDS(n=idle)]
    else:
        lines = [lists.WHOIS_STILL_MINUTES(idle=f"{idle // 60}:{idle % 60:02d}")]
    opponent = world.opponent_of(user)
    if opponent is not None:
        lines.append(lists.WHOIS_PLAYING(name=user.name, opponent=opponent))
    elif user.watching is not None:
        text = lists.WHOIS_READY_WATCHING if user.on(Toggle.READY) else lists.WHOIS_NOT_READY_WATCHING
        lines.append(text(name=user.name, watched=user.watching))
    else:
        text = lists.WHOIS_READY if user.on(Toggle.READY) else lists.WHOIS_NOT_READY
        lines.append(text(name=user.name))
    if user.away is not None:
        lines.append(lists.WHOIS_AWAY(name=user.name, text=user.away))
    return lines


def where(call: Call, world: World) -> Result:
    """Tell from where a user is, or was, logged in."""
    words = call.words
    if not words:
        raise Refused(Refusal.WHOIS_ARGUMENT)
    account, online = _online_or_stored(call, world, words[0], Refusal.NO_INFORMATION)
    host = online.connection.host if online is not None else account.last_host or "unknown"
    return call.reply(lists.LAST_ROW(name=account.name, host=host))


def last(call: Call, world: World) -> Result:
    """Tell the last logins of all users on-line, or of one user."""
    words = call.words
    if words:
        # Names are not completed here (reference 3.1).
        online = world.exact(words[0])
        if online is None and not isinstance(call.facts, Account):
            raise Refused(Refusal.NO_INFORMATION, name=words[0])
        return where(call, world)
    users = sorted(world.users.values(), key=lambda user: user.number, reverse=True)
    return call.reply(*(lists.LAST_ROW(name=user.name, host=user.connection.host) for user in users))


# --- ratings ---------------------------------------------------------------------------------------------------


@attrs.frozen
class RatingsFacts:
    """Rows of the ratings list: a range, and single users marked by a star."""

    rows: tuple[Ranked, ...]
    marked: tuple[Ranked, ...]


async def find_ratings(call: Call, world: World, services: Services) -> RatingsFacts | None:
    """Ask the store for the rows."""
    try:
        first, last, name = _ratings_range(call.words)
    except Refused:
        return None
    store = services.store
    rows: tuple[Ranked, ...] = ()
    marked = []
    if name is None:
        rows = await store.ranking(first, last, min_experience=RANKED_EXPERIENCE)
    else:
        account = await store.account(name)
        if account is None:
            return RatingsFacts((), ())
        one = await store.rank(account.name, min_experience=RANKED_EXPERIENCE)
        marked += [one] if one else []
    own = await store.rank(call.user, min_experience=RANKED_EXPERIENCE)
    if own is not None and own not in marked:
        marked.append(own)
    return RatingsFacts(rows, tuple(marked))


def ratings(call: Call, world: World) -> Result:
    """Show the best players, a range of ranks, or one player; the asker always at the end."""
    _, _, name = _ratings_range(call.words)
    facts = call.facts if isinstance(call.facts, RatingsFacts) else RatingsFacts((), ())
    if name is not None and not facts.marked:
        raise Refused(Refusal.NO_INFORMATION, name=name)
    lines = [lists.RATINGS_HEADER()]
    lines += [_rating_line(lists.RATINGS_ROW, row) for row in facts.rows]
    lines += [_rating_line(lists.RATINGS_OWN, row) for row in facts.marked]
    return call.reply(*lines)


def _rating_line(template: Callable[..., str], row: Ranked) -> str:
    fields = {"name": row.name, "rating": f"{row.rating:.2f}", "exp": row.experience}
    if row.rank is None:
        return lists.RATINGS_UNRANKED(**fields)
    return template(rank=row.rank, **fields)


def _ratings_range(words: list[str]) -> tuple[int, int, str | None]:
    """First and last rank, or a name.

    Raises:
        Refused: The arguments make no range.
    """
    if not words:
        return 1, 20, None
    if words[0].lower() != "from":
        if len(words) > 1:
            raise Refused(Refusal.RATINGS_TWO_NAMES, player1=words[0], player2=words[1])
        return 0, 0, words[0]
    first = number(words[1]) if len(words) > 1 else None
    if not first:
        raise Refused(Refusal.RATINGS_POSITIVE_FROM)
    last = number(words[3]) if len(words) > 3 and words[2].lower() == "to" else None
    if not last:
        raise Refused(Refusal.RATINGS_POSITIVE_TO)
    if last < first:
        raise Refused(Refusal.RATINGS_RANGE, a=first, b=last)
    if last - first >= RATINGS_LIMIT:
        raise Refused(Refusal.RATINGS_LIMIT)
    return first, last, None


# --- show ------------------------------------------------------------------------------------------------------


async def find_saved_count(call: Call, world: World, services: Services) -> tuple[str, int] | None:
    """How many matches a user who is not on-line has saved."""
    words = call.words
    if len(words) < 2 or words[0].lower() != "savedcount" or world.exact(words[1]) is not None:
        return None
    account = await services.store.account(words[1])
    if account is None:
        return None
    rows = await services.store.unfinished(account.name)
    return account.name, len(rows)


def show(call: Call, world: World) -> Result:
    """Show games, saved games, watchers, or the number of users."""
    words = call.words
    if not words:
        raise Refused(Refusal.SHOW_WHAT)
    topic = _SHOWS.get(words[0].lower())
    if topic is None:
        raise Refused(Refusal.SHOW_UNKNOWN, word=words[0])
    return topic(call, world)


def _show_games(call: Call, world: World) -> Result:
    out = call.result()
    extras = world.users[call.user].extras
    rows = [lists.GAMES_HEADER()]
    for table in world.tables.values():
        rows.append(_game_row(table))
        if extras:
            rows += _terms_rows(table)
    out.tell(call.me, Text(tuple(rows)), shows=tuple(world.tables))
    return out


def _terms_rows(table: Table) -> list[str]:
    """On which added terms a match is played, if there are any."""
    words = table.terms.added.words
    return [terms.TERM_OF_MATCH(player1=table.names.o, player2=table.names.x, words=words)] if words else []


def _game_row(table: Table) -> str:
    fields = {
        "player1": table.names.o,
        "player2": table.names.x,
        "a": table.match.score.o,
        "b": table.match.score.x,
    }
    if table.terms.length is None:
        return lists.GAMES_ROW_UNLIMITED(**fields)
    return lists.GAMES_ROW(n=table.terms.length, **fields)


_SAVED_ROWS = {
    True: (lists.GAMES_SAVED_READY, lists.GAMES_SAVED_READY_UNLIMITED),
    False: (lists.GAMES_SAVED_ON, lists.GAMES_SAVED_ON_UNLIMITED),
    None: (lists.GAMES_SAVED_OFF, lists.GAMES_SAVED_OFF_UNLIMITED),
}


def _show_saved(call: Call, world: World) -> Result:
    extras = world.users[call.user].extras
    rows: list[str] = []
    for table in world.saved_of(call.user):
        rows.append(_saved_row(call, world, table))
        if extras:
            rows += _terms_rows(table)
    return call.reply(lists.SAVED_HEADER(), *(rows or [lists.SAVED_NONE()]))


def _saved_row(call: Call, world: World, table: Table) -> str:
    side = table.side_of(call.user)
    opponent = world.users.get(table.names.of(side.other))
    free = None if opponent is None else opponent.on(Toggle.READY) and opponent.table is None
    limited, unlimited = _SAVED_ROWS[free]
    fields = {
        "opponent": table.names.of(side.other),
        "a": table.match.score.of(side),
        "b": table.match.score.of(side.other),
    }
    return unlimited(**fields) if table.terms.length is None else limited(n=table.terms.length, **fields)


def _show_saved_count(call: Call, world: World) -> Result:
    words = call.words
    name: str
    if len(words) < 2:
        name, count = call.user, len(list(world.saved_of(call.user)))
    elif isinstance(call.facts, tuple):
        name, count = call.facts
    else:
        found = world.find(words[1], Refusal.NO_USER_CALLED)
        name, count = found.name, len(list(world.saved_of(found.name)))
    if count == 0:
        return call.reply(lists.SAVEDCOUNT_NONE(name=name))
    return call.reply(lists.SAVEDCOUNT(name=name, games=plural(count, "saved game")))


def _show_watchers(call: Call, world: World) -> Result:
    rows = [
        lists.WATCHERS_ROW(watcher=user.name, watched=user.watching)
        for user in world.users.values()
        if user.watching is not None
    ]
    return call.reply(lists.WATCHERS_HEADER(), *rows) if rows else call.reply(lists.WATCHERS_NONE())


def _show_max(call: Call, world: World) -> Result:
    return call.reply(lists.SHOW_MAX(n=world.server.max_users, max=world.most_users))


_SHOWS: Mapping[str, Callable[[Call, World], Result]] = {
    "clock": play.time_left,
    "games": _show_games,
    "legal": show_legal,
    "options": show_options,
    "saved": _show_saved,
    "savedcount": _show_saved_count,
    "seeks": lambda call, world: list_seeks(call, world, call.words[1:]),
    "watchers": _show_watchers,
    "max": _show_max,
    "points": show_points,
}
