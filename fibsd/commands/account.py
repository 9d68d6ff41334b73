"""Commands about the own account and session: password, recovery, name, bye, wave, erase, waitfor."""

import attrs

from fibsd.commands.call import Call, Services
from fibsd.protocol.messages import general, news, own
from fibsd.protocol.words import code_letters
from fibsd.values import frozen
from fibsd.world.account import Account
from fibsd.world.arrivals import depart
from fibsd.world.audience import Everybody, Result, ToUser
from fibsd.world.changes import (
    AccountErased,
    LoggedOut,
    MatchVoided,
    PasswordChanged,
    RecoveryChanged,
    SettingsChanged,
)
from fibsd.world.errors import Refusal, Refused
from fibsd.world.events import Asked, Farewell, Notice, NoticeKind, RoomLine, SaidGoodbye
from fibsd.world.ids import UserName
from fibsd.world.lobby import Presence, Question
from fibsd.world.stakes import give_back
from fibsd.world.world import World

MIN_PASSWORD = 4
"""Characters (FIBS: `Minimal password length is 4 characters.`)."""


@frozen
class NewPassword:
    """The hash that the old password was right for, and that of the new one."""

    checked: str
    password_hash: str


def _three(args: str) -> tuple[str, str]:
    """The old password and the new one.

    Raises:
        Refused: The arguments are not `old:new:new`.
    """
    parts = args.split(":")
    if len(parts) != 3 or not parts[0]:
        raise Refused(Refusal.PASSWORD_USAGE)
    if parts[1] != parts[2]:
        raise Refused(Refusal.PASSWORD_TWICE)
    if len(parts[1]) < MIN_PASSWORD:
        raise Refused(Refusal.PASSWORD_SHORT)
    return parts[0], parts[1]


async def hash_new_password(call: Call, world: World, services: Services) -> NewPassword | None:
    """The slow part of a new password."""
    me = world.users.get(call.user)
    try:
        old, new = _three(call.args)
    except Refused:
        return None
    checked = None if me is None else await services.own_passwords.proven(me, old)
    return None if checked is None else NewPassword(checked, await services.own_passwords.hash(new))


def password(call: Call, world: World) -> Result:
    """Change the password."""
    _three(call.args)
    me, facts = world.users[call.user], call.facts
    # Hashing took a while: the password may be another one by now.
    if not isinstance(facts, NewPassword) or facts.checked != me.account.password_hash:
        raise Refused(Refusal.PASSWORD_OLD_WRONG)
    me.account = attrs.evolve(me.account, password_hash=facts.password_hash)
    out = call.reply(general.PASSWORD_CHANGED())
    out.store(PasswordChanged(name=me.name, password_hash=facts.password_hash))
    return out


@frozen
class NewCode:
    """The hash that the password was right for, and a recovery code with its own hash."""

    checked: str
    code: str
    recovery_hash: str


async def make_code(call: Call, world: World, services: Services) -> NewCode | None:
    """The slow part of a new recovery code; None if the password is wrong."""
    me = world.users.get(call.user)
    checked = None if me is None or not call.args else await services.own_passwords.proven(me, call.args)
    if checked is None:
        return None
    code = services.passwords.new_code()
    return NewCode(checked, code, await services.own_passwords.hash(code_letters(code)))


def recovery(call: Call, world: World) -> Result:
    """Make a recovery code, in place of the old one if there is one; it is shown this once."""
    if not call.args:
        raise Refused(Refusal.RECOVERY_USAGE)
    me, facts = world.users[call.user], call.facts
    if not isinstance(facts, NewCode) or facts.checked != me.account.password_hash:
        raise Refused(Refusal.RECOVERY_PASSWORD)
    me.account = attrs.evolve(me.account, recovery_hash=facts.recovery_hash)
    out = call.reply(
        own.OWN_RECOVERY_CODE(code=facts.code),
        own.OWN_RECOVERY_KEEP(),
        own.OWN_RECOVERY_HOW(name=me.name),
    )
    out.store(RecoveryChanged(name=me.name, recovery_hash=facts.recovery_hash))
    return out


def name(call: Call, world: World) -> Result:
    """Names are chosen at registration."""
    raise Refused(Refusal.NAME_AFTER_LOGIN)


def bye(call: Call, world: World) -> Result:
    """Log out."""
    out = call.result()
    _log_out(call, world, world.users[call.user], out)
    return out


def _log_out(call: Call, world: World, me: Presence, out: Result) -> None:
    depart(world, me, Farewell.LOGOUT, out)
    out.tell(call.me, SaidGoodbye())
    out.closes.append(call.session)


def wave(call: Call, world: World) -> Result:
    """Wave goodbye; the second time, log out."""
    me = world.users[call.user]
    if not me.waved:
        me.waved = True
        out = call.reply(news.WAVE())
        out.tell(Everybody(frozenset({me.name})), RoomLine(news.WAVES(name=me.name)))
        return out
    out = call.reply(news.WAVE_AGAIN())
    out.tell(Everybody(frozenset({me.name})), RoomLine(news.WAVES_AGAIN(name=me.name)))
    _log_out(call, world, me, out)
    return out


# --- erasing the account ---------------------------------------------------------------------------------------


def erase(call: Call, world: World) -> Result:
    """Begin to erase the own account: first the password is asked for."""
    me = world.users[call.user]
    if me.table is not None:
        raise Refused(Refusal.ERASE_PLAYING)
    me.asked = Question.ERASE_PASSWORD
    out = call.result()
    out.ask(call.me, Asked(own.OWN_ERASE_PASSWORD(), hidden=True))
    return out


async def verify_password(call: Call, world: World, services: Services) -> str | None:
    """The hash that the answer is right for; None if it is not the caller's password."""
    me = world.users.get(call.user)
    return None if me is None else await services.own_passwords.proven(me, call.args)


def erase_password(call: Call, world: World) -> Result:
    """The answer to the first question."""
    me = world.users[call.user]
    me.asked = None
    # Who guesses has waited: the password may be another one by now.
    if call.facts != me.account.password_hash:
        raise Refused(Refusal.PASSWORD_OLD_WRONG)
    me.asked = Question.ERASE_SURE
    out = call.result()
    out.ask(call.me, Asked(own.OWN_ERASE_SURE()))
    return out


def erase_sure(call: Call, world: World) -> Result:
    """The answer to the second question: `yes`, and the account goes for ever."""
    me = world.users[call.user]
    me.asked = None
    if me.table is not None:
        raise Refused(Refusal.ERASE_PLAYING)
    if call.args.lower() != "yes":
        return call.reply(own.OWN_ERASE_KEPT())
    out = call.reply(own.OWN_ERASED())
    for table in list(world.saved_of(me.name)):
        out.store(MatchVoided(id=table.id))
        del world.saved[table.id]
        give_back(world, table, out)
        out.tell(ToUser(table.opponent_of(me.name)), Notice(NoticeKind.VOIDED, me.name))
    _log_out(call, world, me, out)
    # Nothing about the session may be written to an account that is not there any more.
    out.changes = [change for change in out.changes if not isinstance(change, LoggedOut | SettingsChanged)]
    out.store(AccountErased(name=me.name, at=out.now))
    world.forget(me.name)
    return out


# --- waiting for somebody --------------------------------------------------------------------------------------


async def find_awaited(call: Call, world: World, services: Services) -> Account | None:
    """The account of the one who is waited for."""
    words = call.words
    return await services.store.account(words[0]) if words else None


def waitfor(call: Call, world: World) -> Result:
    """Be told when somebody logs in; alone, the list of those who are waited for."""
    me, words = world.users[call.user], call.words
    if not words:
        if not me.waits_for:
            return call.reply(own.OWN_WAITFOR_NONE())
        return call.reply(own.OWN_WAITFOR_LIST(names=", ".join(sorted(me.waits_for))))
    account = call.facts
    if not isinstance(account, Account):
        raise Refused(Refusal.DONT_KNOW_USER, name=words[0])
    me.waits_for |= {UserName(account.name)}
    world.waiters[me.name] = me
    return call.reply(own.OWN_WAITFOR_SET(name=account.name))
