"""Commands for watching and looking."""

from fibsd.commands.call import Call
from fibsd.protocol.messages import general
from fibsd.world.audience import Result
from fibsd.world.errors import Refusal, Refused
from fibsd.world.events import BoardShown, Declined
from fibsd.world.lobby import Presence
from fibsd.world.watching import start_watching, stop_watching
from fibsd.world.world import World


def watch(call: Call, world: World) -> Result:
    """Watch a user."""
    me = world.users[call.user]
    out = call.result()
    try:
        watched = _watchable(call, world, me)
    except Refused as refused:
        # FIBS stops watching the old one first, even if the new name is wrong (reference 9.5).
        stop_watching(world, me, out)
        out.tell(call.me, Declined(refused.refusal, refused.fields))
        return out
    start_watching(world, me, watched, out)
    return out


def _watchable(call: Call, world: World, me: Presence) -> Presence:
    words = call.words
    if not words:
        raise Refused(Refusal.WATCH_WHO)
    watched = world.find(words[0])
    if watched is me:
        raise Refused(Refusal.WATCH_SELF)
    if me.table is not None:
        raise Refused(Refusal.WATCH_PLAYING)
    if _hides(world, watched, me):
        raise Refused(Refusal.WATCH_BLINDED, name=watched.name)
    return watched


def _hides(world: World, watched: Presence, me: Presence) -> bool:
    """Whether the user, or his present opponent, has blinded the caller."""
    opponent = world.opponent_of(watched)
    return not watched.shows_to(me.name) or (opponent is not None and not world.player(opponent).shows_to(me.name))


def unwatch(call: Call, world: World) -> Result:
    """Stop watching."""
    me = world.users[call.user]
    if me.watching is None:
        raise Refused(Refusal.NOT_WATCHING)
    out = call.result()
    stop_watching(world, me, out)
    return out


def look(call: Call, world: World) -> Result:
    """Show the board of somebody's game once."""
    me, words = world.users[call.user], call.words
    if not words:
        raise Refused(Refusal.LOOK_WHO)
    other = world.find(words[0])
    if other is me:
        return call.reply(general.LOOK_SELF())
    if _hides(world, other, me):
        raise Refused(Refusal.LOOK_BLINDED, name=other.name)
    if other.table is None:
        raise Refused(Refusal.LOOK_NOT_PLAYING, name=other.name)
    table = world.tables[other.table]
    out = call.result()
    out.tell(call.me, BoardShown(table.snapshot, table.side_of(other.name), own=False), shows=(table.id,))
    return out
