"""Administration of the server: announcements, the message of the day, shutting down, the audit."""

from fibsd.commands.admin.act import Act, refused
from fibsd.commands.call import Services
from fibsd.protocol.clock import asctime
from fibsd.protocol.words import number
from fibsd.world.audience import Everybody, Result
from fibsd.world.changes import Audit, TextSet
from fibsd.world.events import Alert, Attention
from fibsd.world.motd import framed, unframed
from fibsd.world.world import Shutdown, World

MOTD_KEY = "motd"
AUDIT_ROWS = 20


def alert(act: Act, world: World, out: Result) -> tuple[str, ...]:
    """Send a message to everybody on-line."""
    if not act.args:
        raise refused("Please give a text.")
    out.tell(Everybody(), Alert(act.by, act.args))
    # Not the number first: to a CLIP client a line that begins with a number and a blank is a message.
    return (f"Told {len(world.users)} users.",)


def motd(act: Act, world: World, out: Result) -> tuple[str, ...]:
    """Show the message of the day, or change it line by line."""
    words = act.words
    lines = unframed(world.motd)
    if not words:
        return world.motd or ("There is no message of the day.",)
    if words[0] == "clear":
        lines = ()
    elif words[0] == "add":
        lines = (*lines, act.rest(1))
    elif words[0] == "set":
        lines = (act.rest(1),)
    else:
        raise refused("Please give set, add, clear, or nothing.")
    text = "\n".join(lines)
    world.motd = framed(text)
    out.store(TextSet(key=MOTD_KEY, text=text))
    return world.motd or ("There is no message of the day now.",)


def shutdown(act: Act, world: World, out: Result) -> tuple[str, ...]:
    """Stop the server in some minutes, and tell everybody."""
    minutes = number(act.word(0, "the number of minutes"))
    if minutes is None or minutes > 10_000:
        raise refused("Please give the number of minutes.")
    world.shutdown = Shutdown(at=act.now + 60 * minutes, reason=act.rest(1), by=act.by)
    out.tell(Everybody(), Attention(countdown_text(world.shutdown, act.now)))
    return (f"The server stops in {minutes} minutes. 'admin cancel' stops that.",)


def countdown_text(coming: Shutdown, now: float) -> str:
    """What everybody is told of a stop to come."""
    left = max(0, round(coming.at - now))
    time = f"{left // 60} minutes" if left >= 120 else f"{left} seconds"
    return f"The server goes down in {time}. All games will be saved.{' ' + coming.reason if coming.reason else ''}"


def cancel(act: Act, world: World, out: Result) -> tuple[str, ...]:
    """Call off a stop."""
    if world.shutdown is None:
        raise refused("No shutdown was announced.")
    world.shutdown = None
    out.tell(Everybody(), Attention("The shutdown was called off."))
    return ("The shutdown was called off.",)


async def find_audits(act: Act, world: World, services: Services) -> tuple[Audit, ...]:
    """The newest acts."""
    words = act.words
    rows = number(words[0]) if words else AUDIT_ROWS
    return await services.store.audits(min(rows or AUDIT_ROWS, 500))


def audit(act: Act, world: World, out: Result) -> tuple[str, ...]:
    """List what administrators have done."""
    rows = act.facts if isinstance(act.facts, tuple) else ()
    return tuple(f"{asctime(row.at)} {row.by}: {row.act} {row.subject} {row.details}".rstrip() for row in rows) or (
        "Nothing was done yet.",
    )
