"""The table of all acts of administration, and how a line becomes one."""

from collections.abc import Mapping

import attrs

from fibsd.commands.admin import matches, people, server
from fibsd.commands.admin.act import ADMIN, MODERATOR, RIGHTS, Act, AdminCommand, find_people, refused
from fibsd.commands.call import Call, Services
from fibsd.protocol.words import split_line
from fibsd.values import frozen
from fibsd.world.audience import Result
from fibsd.world.changes import Audit, Audited
from fibsd.world.errors import Refusal, Refused
from fibsd.world.events import Text
from fibsd.world.world import World

BOTH = frozenset({ADMIN, MODERATOR})


def _help(act: Act, world: World, out: Result) -> tuple[str, ...]:
    rows = (one for one in ADMIN_COMMANDS.values() if one.rights & act.rights)
    return tuple(f"admin {(one.name + ' ' + one.usage).strip():<42} {one.help}" for one in rows)


_TABLE = (
    AdminCommand(name="help", usage="", help="this list", handler=_help, rights=BOTH, audited=False),
    AdminCommand(
        name="alert", usage="<text>", help="a message to everybody on-line", handler=server.alert, rights=BOTH
    ),
    AdminCommand(
        name="audit",
        usage="[<rows>]",
        help="what administrators have done",
        handler=server.audit,
        prepare=server.find_audits,
        audited=False,
    ),
    AdminCommand(
        name="ban",
        usage="<name|address|range> <time> [<reason>]",
        help="keep somebody out; time is 30m, 2h, 7d or ever",
        handler=people.ban,
        prepare=find_people,
        rights=BOTH,
    ),
    AdminCommand(name="bans", usage="", help="all bans", handler=people.bans, rights=BOTH, audited=False),
    AdminCommand(name="cancel", usage="", help="call off a shutdown", handler=server.cancel),
    AdminCommand(
        name="close",
        usage="<name> [<reason>]",
        help="end somebody's session",
        handler=people.close_connection,
        rights=BOTH,
    ),
    AdminCommand(
        name="motd", usage="[set|add <line>|clear]", help="show or change the message of the day", handler=server.motd
    ),
    AdminCommand(
        name="mute",
        usage="<name> <time>",
        help="no shouting, kibitzing, whispering",
        handler=people.mute,
        prepare=find_people,
        rights=BOTH,
    ),
    AdminCommand(
        name="password",
        usage="<name>",
        help="a new password, shown once",
        handler=people.reset_password,
        prepare=people.make_password,
    ),
    AdminCommand(
        name="rename", usage="<name> <new name>", help="another name", handler=people.rename, prepare=find_people
    ),
    AdminCommand(
        name="reverse",
        usage="<match>",
        help="take back how a match was settled",
        handler=matches.reverse,
        prepare=matches.find_ended,
    ),
    AdminCommand(
        name="rights",
        usage="<name> admin|moderator|none",
        help="what somebody may do",
        handler=people.rights,
        prepare=find_people,
    ),
    AdminCommand(
        name="settle",
        usage="<name> <name> <winner>",
        help="end a saved match as won",
        handler=matches.settle,
        prepare=find_people,
    ),
    AdminCommand(
        name="show",
        usage="<name>",
        help="address, rights, bans of somebody",
        handler=people.show,
        prepare=find_people,
        rights=BOTH,
        audited=False,
    ),
    AdminCommand(name="shutdown", usage="<minutes> [<reason>]", help="stop the server", handler=server.shutdown),
    AdminCommand(name="unban", usage="<number|name|range>", help="lift a ban", handler=people.unban, rights=BOTH),
    AdminCommand(
        name="unmute",
        usage="<name>",
        help="let somebody talk again",
        handler=people.unmute,
        prepare=find_people,
        rights=BOTH,
    ),
    AdminCommand(name="void", usage="<name> <name>", help="undo a match", handler=matches.void, prepare=find_people),
)

ADMIN_COMMANDS: Mapping[str, AdminCommand] = {one.name: one for one in _TABLE}


@frozen
class Prepared:
    """A subcommand and its act, with what was looked up."""

    command: AdminCommand
    act: Act


async def prepare_act(
    line: str, by: str, rights: frozenset[str], world: World, services: Services, now: float
) -> Prepared:
    """Understand a line and look up what it needs.

    Raises:
        Refused: There is no such subcommand, or he may not use it.
    """
    word, args = split_line(line or "help")
    command = ADMIN_COMMANDS.get(word.lower())
    if command is None or not command.rights & rights:
        raise refused(f"There is no 'admin {word}' for you. Type 'admin help'.")
    act = Act(by=by, rights=rights, args=args, now=now)
    if command.prepare is not None:
        act = attrs.evolve(act, facts=await command.prepare(act, world, services))
    return Prepared(command, act)


def perform(prepared: Prepared, world: World, out: Result) -> tuple[str, ...]:
    """Do it, and write it down.

    Raises:
        Refused: It cannot be done.
    """
    command, act = prepared.command, prepared.act
    lines = command.handler(act, world, out)
    if command.audited:
        subject, details = split_line(act.args)
        out.store(Audited(audit=Audit(at=act.now, by=act.by, act=command.name, subject=subject, details=details)))
    return lines


# --- in-band ---------------------------------------------------------------------------------------------------


async def find_act(call: Call, world: World, services: Services) -> Prepared | Refused | None:
    """Understand the line of somebody on-line; None if he is no administrator."""
    me = world.users.get(call.user)
    if me is None or not me.account.rights & RIGHTS:
        return None
    line = f"shutdown {call.args}" if call.word.lower().startswith("shut") else call.args
    try:
        return await prepare_act(line, me.name, me.account.rights, world, services, call.now)
    except Refused as refusal:
        return refusal


def admin(call: Call, world: World) -> Result:
    """Administer the server; for everybody else there is no such command."""
    prepared = call.facts
    if isinstance(prepared, Refused):
        raise prepared
    if not isinstance(prepared, Prepared) or not world.users[call.user].account.rights & prepared.command.rights:
        raise Refused(Refusal.UNKNOWN_COMMAND, word=call.word)
    out = call.result()
    lines = perform(prepared, world, out)
    out.tell(call.me, Text(lines))
    return out
