"""Administration of people: closing, banning, muting, renaming, passwords, rights."""

import ipaddress
import re

import attrs

from fibsd.commands.admin.act import RIGHTS, Act, People, account_of, duration_s, find_people, refused
from fibsd.commands.call import Services
from fibsd.protocol.clock import asctime
from fibsd.protocol.words import number
from fibsd.values import frozen
from fibsd.world.account import BOT, Account
from fibsd.world.arrivals import depart
from fibsd.world.audience import Result, ToUser
from fibsd.world.changes import (
    AccountRenamed,
    Ban,
    BanLifted,
    BanSet,
    MutedUntil,
    PasswordChanged,
    RecoveryChanged,
    RightsChanged,
)
from fibsd.world.events import ClosedByAdmin, Farewell
from fibsd.world.ids import NAME_LIMIT, RESERVED_NAMES, UserName
from fibsd.world.lobby import Presence
from fibsd.world.world import World

_NAME = re.compile(r"[A-Za-z_]+", re.ASCII)


def close_connection(act: Act, world: World, out: Result) -> tuple[str, ...]:
    """End a user's session."""
    user = world.find(act.word(0, "a name"))
    _close(act, world, user, act.rest(1), out)
    return (f"Closed the connection of {user.name}.",)


def _close(act: Act, world: World, user: Presence, reason: str, out: Result) -> None:
    out.tell(ToUser(user.name), ClosedByAdmin(act.by, reason))
    # The line must be addressed while he is still on-line, but he must get it before the session ends.
    out.closes.append(user.connection.id)
    out.envelopes[-1] = attrs.evolve(out.envelopes[-1], audience=user.connection.address)
    depart(world, user, Farewell.ADMIN, out, admin=act.by)


# --- bans ------------------------------------------------------------------------------------------------------


def ban(act: Act, world: World, out: Result) -> tuple[str, ...]:
    """Keep an account, or addresses, from logging in."""
    whom = act.word(0, "a name, an address or a range")
    length = duration_s(act.word(1, "a time such as 2h, 7d or ever"))
    network = _network(whom)
    name = None if network is not None else account_of(act, world, 0).name
    made = Ban(
        id=world.next_ban,
        name=name,
        network=network,
        until=None if length is None else act.now + length,
        reason=act.rest(2),
        by=act.by,
        at=act.now,
    )
    world.next_ban += 1
    world.bans[made.id] = made
    out.store(BanSet(ban=made))
    for user in list(world.users.values()):
        if world.ban_on(user.name, user.connection.peer, act.now) is made:
            _close(act, world, user, made.reason, out)
    return (_ban_line(made),)


def _network(word: str) -> str | None:
    try:
        return str(ipaddress.ip_network(word, strict=False))
    except ValueError:
        return None


def unban(act: Act, world: World, out: Result) -> tuple[str, ...]:
    """Lift a ban, by its number, name or range."""
    word = act.word(0, "the number of a ban, a name or a range")
    wanted = number(word)
    network = _network(word)
    lifted = [
        found
        for found in world.bans.values()
        if found.id == wanted
        or (found.name is not None and found.name.lower() == word.lower())
        or (found.network is not None and found.network == network)
    ]
    if not lifted:
        raise refused(f"There is no ban on {word}.")
    for found in lifted:
        del world.bans[found.id]
        out.store(BanLifted(id=found.id))
    return tuple(f"Lifted: {_ban_line(found)}" for found in lifted)


def bans(act: Act, world: World, out: Result) -> tuple[str, ...]:
    """List all bans in force."""
    rows = [_ban_line(found) for found in world.bans.values() if found.until is None or found.until > act.now]
    return tuple(rows) or ("There are no bans.",)


def _ban_line(found: Ban) -> str:
    until = "for ever" if found.until is None else f"until {asctime(found.until)} UTC"
    return f"ban {found.id}: {found.name or found.network} {until}, by {found.by}: {found.reason or 'no reason given'}"


# --- mutes -----------------------------------------------------------------------------------------------------


def mute(act: Act, world: World, out: Result) -> tuple[str, ...]:
    """Keep a user from shouting, kibitzing and whispering."""
    length = duration_s(act.word(1, "a time such as 30m, 2h or ever"))
    account = account_of(act, world, 0)
    _mute(world, account, act.now + (length if length is not None else 100 * 365 * 86_400), out)
    return (f"{account.name} is muted.",)


def unmute(act: Act, world: World, out: Result) -> tuple[str, ...]:
    """Let a user talk again."""
    account = account_of(act, world, 0)
    _mute(world, account, None, out)
    return (f"{account.name} may talk again.",)


def _mute(world: World, account: Account, until: float | None, out: Result) -> None:
    online = world.users.get(account.name)
    if online is not None:
        online.account = attrs.evolve(online.account, muted_until=until)
    out.store(MutedUntil(name=account.name, until=until))


# --- accounts --------------------------------------------------------------------------------------------------


def rename(act: Act, world: World, out: Result) -> tuple[str, ...]:
    """Give an account another name."""
    account = account_of(act, world, 0)
    new = UserName(act.word(1, "the new name"))
    people = act.facts
    taken = people.accounts[1] if isinstance(people, People) and len(people.accounts) > 1 else None
    if not _NAME.fullmatch(new) or len(new) > NAME_LIMIT or new.lower() in RESERVED_NAMES:
        raise refused(f"'{new}' cannot be a name.")
    if taken is not None and taken.name != account.name:
        raise refused(f"'{new}' is already used by someone else.")
    if account.name in world.users:
        raise refused(f"{account.name} is on-line. Close the connection first.")
    if account.name in world.absent:
        raise refused(f"{account.name} has lost the connection, but plays a match on. Wait until it is saved or over.")
    world.rename(account.name, new)
    out.store(AccountRenamed(name=account.name, new_name=new))
    return (f"{account.name} is called {new} now.",)


@frozen
class Renewed:
    """An account, and a new password with its hash."""

    people: People
    password: str
    password_hash: str


async def make_password(act: Act, world: World, services: Services) -> Renewed:
    """A new password that can be read out on a telephone."""
    people = await find_people(act, world, services)
    password = services.new_password()
    return Renewed(people, password, await services.passwords.hash(password))


def reset_password(act: Act, world: World, out: Result) -> tuple[str, ...]:
    """Give an account a new password, shown this once; its recovery code ends."""
    renewed = act.facts
    if not isinstance(renewed, Renewed):
        raise TypeError("a new password must be prepared")
    account = account_of(attrs.evolve(act, facts=renewed.people), world, 0)
    online = world.users.get(account.name)
    if online is not None:
        online.account = attrs.evolve(online.account, password_hash=renewed.password_hash, recovery_hash=None)
    out.store(PasswordChanged(name=account.name, password_hash=renewed.password_hash))
    # Somebody else may have made it.
    out.store(RecoveryChanged(name=account.name, recovery_hash=None))
    return (f"The new password of {account.name} is {renewed.password}",)


def rights(act: Act, world: World, out: Result) -> tuple[str, ...]:
    """Make a user an administrator or a moderator, or an ordinary user again."""
    account = account_of(act, world, 0)
    wanted = frozenset(act.words[1:]) - {"none"}
    if not act.words[1:] or not wanted <= RIGHTS:
        raise refused("Please give admin, moderator or none.")
    # Whether a program plays under the name is for its owner to say (`set bot`).
    kept = wanted | (account.rights & {BOT})
    online = world.users.get(account.name)
    if online is not None:
        online.account = attrs.evolve(online.account, rights=kept)
    out.store(RightsChanged(name=account.name, rights=kept))
    return (f"Rights of {account.name}: {' '.join(sorted(wanted)) or 'none'}.",)


def show(act: Act, world: World, out: Result) -> tuple[str, ...]:
    """Tell about an account what only administrators may see."""
    account = account_of(act, world, 0)
    online = world.users.get(account.name)
    muted = account.muted_until is not None and account.muted_until > act.now
    found = world.ban_on(account.name, online.connection.peer if online else "", act.now)
    return (
        f"{account.name}: rating {account.rating:.2f}, experience {account.experience}",
        f"  registered {asctime(account.created)} UTC",
        f"  address {online.connection.peer if online else account.last_host or 'unknown'}",
        f"  rights {' '.join(sorted(account.rights)) or 'none'}, {'muted' if muted else 'not muted'}",
        f"  {_ban_line(found) if found is not None else 'not banned'}",
    )
