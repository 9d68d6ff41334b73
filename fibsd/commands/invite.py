"""Commands that bring players together and part them: invite, join, leave, void."""

from fibsd.commands.call import Call
from fibsd.protocol.words import number
from fibsd.world import invitations, matches, seeking
from fibsd.world.audience import Result
from fibsd.world.errors import Refusal, Refused
from fibsd.world.world import World


def invite(call: Call, world: World) -> Result:
    """Invite somebody to a match."""
    words = call.words
    if not words:
        raise Refused(Refusal.INVITE_WHO)
    me, other = world.users[call.user], world.find(words[0])
    invitations.check_may_invite(world, me, other)
    out = call.result()
    if len(words) == 1:
        invitations.invite_to_resume(world, me, other, out)
        return out
    invitations.invite(world, me, other, length_named(words[1], Refusal.INVITE_SECOND), out, words[2:])
    return out


def length_named(word: str, refusal: Refusal) -> int | None:
    """The length of a match that a word means, None for an unlimited one.

    Raises:
        Refused: With the given refusal, if it means none.
    """
    if "unlimited".startswith(word.lower()):
        return None
    length = number(word)
    if length is None:
        raise Refused(refusal)
    return length


def join(call: Call, world: World) -> Result:
    """Take an invitation, or go on to the next game."""
    me, words = world.users[call.user], call.words
    out = call.result()
    if me.table is not None:
        table = world.tables[me.table]
        if table.paused or not words:
            matches.join_next(world, table, me, out)
            return out
        raise Refused(Refusal.TWO_GAMES)
    if not words:
        raise Refused(Refusal.JOIN_WHO)
    other = world.find(words[0], Refusal.CANT_FIND_PLAYER)
    if seeking.is_open_to(other, me):
        seeking.take(world, me, other, out)
    else:
        matches.join(world, me, other, out)
    return out


def leave(call: Call, world: World) -> Result:
    """Leave the game; it is saved."""
    me = world.users[call.user]
    table = world.table_of(me, Refusal.NO_ONE_TO_LEAVE)
    out = call.result()
    matches.leave(world, table, me, out)
    return out


def void(call: Call, world: World) -> Result:
    """Undo a match in which not both have moved yet."""
    words = call.words
    out = call.result()
    matches.void(world, world.users[call.user], words[0].lower() if words else None, out)
    return out
