"""From a typed line to a command, and from a command to its result."""

from fibsd.commands.call import Call
from fibsd.commands.registry import ANSWERS, COMMANDS, Command, find_command
from fibsd.protocol.moves import looks_like_move
from fibsd.protocol.words import split_line
from fibsd.values import frozen
from fibsd.world.arrivals import depart
from fibsd.world.audience import Result
from fibsd.world.errors import Refusal, Refused
from fibsd.world.events import Declined, Farewell
from fibsd.world.ids import SessionId, UserName
from fibsd.world.lobby import Presence
from fibsd.world.results import SERVER_NAME
from fibsd.world.world import World

MOST_EXCESS = 30
"""How often in a row a user may be told that he does something too often, before the server hangs up on him."""


@frozen
class Typed:
    """A line that was understood."""

    command: Command
    call: Call


def understand(line: str, presence: Presence, now: float, ticks: float = 0.0) -> Typed | Result | None:
    """What a line means.

    Args:
        line: As typed, without its end.
        presence: Who typed it.
        now: Unix seconds.
        ticks: The same moment on a clock that is never set back.

    Returns:
        A command and its call; a result that refuses the line; or None for an empty line.
    """
    session = presence.connection.id
    if presence.asked is not None:
        return Typed(ANSWERS[presence.asked], Call(session, presence.account.name, "", line.strip(), now, ticks))
    word, args = split_line(line)
    if not word:
        return None
    if word == "!!":
        line = presence.last_command or ""
        word, args = split_line(line)
        if not word:
            return _declined("!!", session, now)
    if looks_like_move(word):
        command, args = COMMANDS["move"], line.strip()
    else:
        found = find_command(word)
        if found is None:
            return _declined(word, session, now)
        command = found
    if command.repeatable and (command.name != "message" or not args):
        presence.last_command = line
    return Typed(command, Call(session, presence.account.name, word, args, now, ticks))


def _declined(word: str, session: SessionId, now: float) -> Result:
    call = Call(session=session, user=UserName(""), word=word, args="", now=now)
    return call.say(Declined(Refusal.UNKNOWN_COMMAND, {"word": word}))


def execute(command: Command, call: Call, world: World) -> Result:
    """Run a command; a refusal becomes its sentence, and nothing else has happened."""
    try:
        return command.handler(call, world)
    except Refused as refused:
        out = call.say(Declined(refused.refusal, refused.fields))
        presence = world.users[call.user]
        if refused.refusal is Refusal.TOO_OFTEN and presence.excess >= MOST_EXCESS:
            depart(world, presence, Farewell.ADMIN, out, admin=SERVER_NAME)
            out.closes.append(call.session)
        return out
