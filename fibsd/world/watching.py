"""Watching other users: it goes on over the ends of games and matches (reference 9.5)."""

from fibsd.world.audience import Result, ToUser
from fibsd.world.events import BannedFromWatching, BoardShown, NowWatching, StoppedWatching, WatcherCame, WatcherWent
from fibsd.world.lobby import Presence
from fibsd.world.world import World


def start_watching(world: World, watcher: Presence, watched: Presence, out: Result) -> None:
    """Watch a user who may be watched; ends watching another one (FIBS help: watch)."""
    if watcher.watching is not None:
        stop_watching(world, watcher, out)
    watcher.watching = watched.name
    watched.watchers[watcher.name] = None
    table = world.tables.get(watched.table) if watched.table is not None else None
    out.tell(ToUser(watcher.name), NowWatching(watched.name, playing=table is not None))
    if table is not None:
        board = BoardShown(table.snapshot, table.side_of(watched.name), own=False, always=False)
        out.tell(ToUser(watcher.name), board, shows=(table.id,))
    _tell_players(world, watched, WatcherCame, watcher.name, out)
    world.announce_user(watcher, out)


def stop_watching(
    world: World, watcher: Presence, out: Result, *, banned_by: str | None = None, quietly: bool = False
) -> None:
    """Watch nobody any more; the watched one and his opponent are told (FIBS help: unwatch).

    Args:
        world: The world.
        watcher: Who stops.
        out: Collects the effect.
        banned_by: Who has blinded him, if that is the reason.
        quietly: Tell neither him nor the room: his session is about to be replaced, and a line before the first
            one of the new session would spoil its login.
    """
    if watcher.watching is None:
        return
    watched = world.users[watcher.watching]
    watcher.watching = None
    del watched.watchers[watcher.name]
    if not quietly:
        said = StoppedWatching(watched.name) if banned_by is None else BannedFromWatching(banned_by)
        out.tell(ToUser(watcher.name), said)
    _tell_players(world, watched, WatcherWent, watcher.name, out)
    if not quietly:
        world.announce_user(watcher, out)


def _tell_players(
    world: World, watched: Presence, kind: type[WatcherCame] | type[WatcherWent], watcher: str, out: Result
) -> None:
    out.tell(ToUser(watched.name), kind(watcher, watched.name, you=True))
    opponent = world.opponent_of(watched)
    if opponent is not None:
        out.tell(ToUser(opponent), kind(watcher, watched.name, you=False))
