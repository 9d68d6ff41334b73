"""What `show` shows: matches, saved ones, watchers, and what other rooms have to show."""

from collections.abc import Callable, Mapping

from fibsd.commands import play
from fibsd.commands.call import Call, Services
from fibsd.commands.helps import show_legal
from fibsd.commands.options import show_options
from fibsd.commands.points import show_points
from fibsd.commands.seek import list_seeks
from fibsd.protocol.messages import lists, terms
from fibsd.protocol.messages.template import plural
from fibsd.world.account import Toggle
from fibsd.world.audience import Result
from fibsd.world.errors import Refusal, Refused
from fibsd.world.events import Text
from fibsd.world.table import Table
from fibsd.world.world import World


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
            rows += terms_rows(table)
    out.tell(call.me, Text(tuple(rows)), shows=tuple(world.tables))
    return out


def terms_rows(table: Table) -> list[str]:
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
            rows += terms_rows(table)
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
