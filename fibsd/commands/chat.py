"""Commands for talking, and for not listening."""

from collections.abc import Iterable

import attrs

from fibsd.commands.call import Call, Services
from fibsd.protocol.messages import chat
from fibsd.protocol.words import first_word, split_line
from fibsd.values import frozen
from fibsd.world.account import Account, Toggle
from fibsd.world.audience import Everybody, Result, ToUser
from fibsd.world.changes import Message, MessageLeft
from fibsd.world.errors import Refusal, Refused
from fibsd.world.events import (
    MessageGot,
    MessageSent,
    MessagesWaiting,
    Speech,
    Spoke,
    Told,
    YouSpoke,
    YouTold,
)
from fibsd.world.ids import UserName
from fibsd.world.lobby import Habit, Presence
from fibsd.world.watching import stop_watching
from fibsd.world.world import World


def shout(call: Call, world: World) -> Result:
    """Talk to everybody."""
    me = world.users[call.user]
    if not call.args:
        raise Refused(Refusal.SAY_NOTHING)
    if _muted(me, call.now):
        raise Refused(Refusal.SHOUT_DISABLED)
    if me.on(Toggle.SILENT):
        raise Refused(Refusal.SHOUT_SILENT)
    world.spend(me, Habit.SHOUT, call.now)
    out = call.result()
    out.tell(call.me, YouSpoke(Speech.SHOUT, call.args, None))
    out.tell(Everybody(frozenset({me.name}), me.name), Spoke(me.name, Speech.SHOUT, call.args))
    return out


def _muted(me: Presence, now: float) -> bool:
    return me.account.muted_until is not None and me.account.muted_until > now


def tell(call: Call, world: World) -> Result:
    """Talk to one user, whose name may be shortened."""
    name, text = split_line(call.args)
    _need_name_and_text(name, text)
    return _tell(call, world, world.find(name), text)


def tellx(call: Call, world: World) -> Result:
    """Talk to one user, whose name is given in full."""
    name, text = split_line(call.args)
    _need_name_and_text(name, text)
    other = world.exact(name)
    if other is None:
        raise Refused(Refusal.NO_ONE_CALLED, name=name)
    return _tell(call, world, other, text)


def _need_name_and_text(name: str, text: str) -> None:
    if not name:
        raise Refused(Refusal.TELL_WHOM)
    if not text:
        raise Refused(Refusal.TELL_WHAT, name=name)


def _tell(call: Call, world: World, other: Presence, text: str) -> Result:
    me = world.users[call.user]
    if other is me:
        return call.reply(chat.SAY_YOURSELF(text=text))
    if not other.hears(me.name):
        raise Refused(Refusal.WONT_LISTEN, name=other.name)
    if not me.hears(other.name):
        raise Refused(Refusal.CANT_TALK)
    out = call.result()
    out.tell(ToUser(other.name), Told(me.name, text))
    out.tell(call.me, YouTold(other.name, text, other.away))
    return out


def say(call: Call, world: World) -> Result:
    """Talk to the opponent, or to the last one if he is still there."""
    me = world.users[call.user]
    partner = world.opponent_of(me) or me.partner
    if partner is None or partner not in world.users:
        raise Refused(Refusal.SAY_OUTSIDE)
    if not call.args:
        raise Refused(Refusal.SAY_NOTHING)
    return _tell(call, world, world.users[partner], call.args)


def kibitz(call: Call, world: World) -> Result:
    """Talk to the players and all watchers of a game."""
    me = world.users[call.user]
    players, watchers = _company(world, me)
    return _speak(call, world, Speech.KIBITZ, [*players, *watchers])


def whisper(call: Call, world: World) -> Result:
    """Talk to the watchers of a game."""
    _, watchers = _company(world, world.users[call.user])
    return _speak(call, world, Speech.WHISPER, watchers)


def _company(world: World, me: Presence) -> tuple[list[UserName], list[UserName]]:
    """The players and the watchers of the game that somebody plays or watches."""
    centre = me if me.table is not None else world.users[me.watching] if me.watching is not None else None
    if centre is None:
        raise Refused(Refusal.NOT_WATCHING_OR_PLAYING)
    opponent = world.opponent_of(centre)
    players = [centre.name, *([opponent] if opponent is not None else [])]
    return players, world.watchers_of(players)


def _speak(call: Call, world: World, kind: Speech, names: Iterable[UserName]) -> Result:
    if not call.args:
        raise Refused(Refusal.SAY_NOTHING)
    me = world.users[call.user]
    if _muted(me, call.now):
        raise Refused(Refusal.MUTED)
    # A player whose connection is lost hears nothing.
    there = (name for name in names if name != call.user and name in world.users)
    hearers = [name for name in there if world.users[name].hears(call.user)]
    out = call.result()
    for name in hearers:
        out.tell(ToUser(name), Spoke(call.user, kind, call.args))
    out.tell(call.me, YouSpoke(kind, call.args, len(hearers)))
    return out


# --- messages --------------------------------------------------------------------------------------------------


@frozen
class Mailbox:
    """What the store knows of the receiver of a message, and how many wait for him."""

    account: Account | None
    waiting: tuple[Message, ...]


async def find_mailbox(call: Call, world: World, services: Services) -> Mailbox:
    """Look the receiver up, if he is not on-line."""
    name = first_word(call.args)
    if not name or world.exact(name) is not None:
        return Mailbox(None, ())
    account = await services.store.account(name)
    return Mailbox(account, await services.store.messages(account.name) if account else ())


def message(call: Call, world: World) -> Result:
    """Leave a message, or show again what the caller found at his login."""
    name, text = split_line(call.args)
    mailbox = call.facts if isinstance(call.facts, Mailbox) else Mailbox(None, ())
    out = call.result()
    if not name:
        found = world.users[call.user].messages
        if not found:
            raise Refused(Refusal.MESSAGE_USAGE)
        out.tell(call.me, MessagesWaiting(found))
        return out
    if not text:
        raise Refused(Refusal.MESSAGE_USAGE)
    online = world.exact(name)
    receiver = online.account if online is not None else mailbox.account
    if receiver is None:
        raise Refused(Refusal.DONT_KNOW_USER, name=name)
    if call.user in receiver.settings.gagged:
        raise Refused(Refusal.WONT_LISTEN, name=receiver.name)
    world.spend(world.users[call.user], Habit.MESSAGE, call.now)
    letter = Message(id=world.next_message, to=receiver.name, sender=call.user, at=call.now, text=text)
    if online is not None:
        out.tell(ToUser(receiver.name), MessageGot(letter))
    else:
        if len(mailbox.waiting) >= world.house.max_messages:
            raise Refused(Refusal.MESSAGE_BOX_FULL, name=receiver.name)
        world.next_message += 1
        out.store(MessageLeft(message=letter))
    out.tell(call.me, MessageSent(receiver.name, text, saved=online is None))
    return out


# --- not listening, not showing --------------------------------------------------------------------------------


async def find_banned(call: Call, world: World, services: Services) -> Account | None:
    """The account of a name that is not on-line: bans outlast a logout."""
    name = first_word(call.args)
    return await services.store.account(name) if name and world.exact(name) is None else None


def gag(call: Call, world: World) -> Result:
    """Listen to somebody no more, or again."""
    me = world.users[call.user]
    if not call.words:
        names = ",".join(sorted(me.settings.gagged))
        return call.reply(chat.GAG_LIST(names=names) if names else chat.GAG_LIST_NONE())
    other = _banned(call, world)
    if other == me.name:
        raise Refused(Refusal.GAG_SELF)
    out = call.result()
    now_on = _turn(world, me, "gagged", other, out)
    out.envelopes[:0] = call.reply((chat.GAG_ON if now_on else chat.GAG_OFF)(name=other)).envelopes
    return out


def blind(call: Call, world: World) -> Result:
    """Let somebody watch no more, or again."""
    me = world.users[call.user]
    if not call.words:
        names = ",".join(sorted(me.settings.blinded))
        return call.reply(chat.BLIND_LIST(names=names) if names else chat.BLIND_LIST_NONE())
    other = _banned(call, world)
    if other == me.name:
        raise Refused(Refusal.BLIND_SELF)
    out = call.result()
    now_on = _turn(world, me, "blinded", other, out)
    out.envelopes[:0] = call.reply((chat.BLIND_ON if now_on else chat.BLIND_OFF)(name=other)).envelopes
    watcher = world.users.get(other)
    opponent = world.opponent_of(me)
    if now_on and watcher is not None and watcher.watching in (me.name, opponent):
        stop_watching(world, watcher, out, banned_by=me.name)
    return out


def _banned(call: Call, world: World) -> UserName:
    name = call.words[0]
    if isinstance(call.facts, Account):
        return call.facts.name
    return world.find(name).name


def _turn(world: World, me: Presence, ban: str, other: UserName, out: Result) -> bool:
    """Turn a ban on or off; whether it is on now.

    Clients repeat their users' bans after each login, and on FIBS a repeat lifts a ban. So a ban kept from an
    earlier session is only confirmed by its first repeat, and lifted by the next one.
    """
    bans = me.settings.gagged if ban == "gagged" else me.settings.blinded
    if other in bans and (ban, other) not in me.confirmed:
        me.confirmed |= {(ban, other)}
        return True
    me.confirmed |= {(ban, other)}
    changed = bans ^ {other}
    if ban == "gagged":
        settings = attrs.evolve(me.settings, gagged=changed)
    else:
        settings = attrs.evolve(me.settings, blinded=changed)
    world.change_settings(me, settings, out)
    return other not in bans


# --- away ------------------------------------------------------------------------------------------------------


def away(call: Call, world: World) -> Result:
    """Be away with a text, or see who is."""
    if not call.args:
        gone = [user for user in world.users.values() if user.away is not None]
        if not gone:
            return call.reply(chat.AWAY_NONE())
        rows = [chat.AWAY_LIST_ROW(name=user.name, text=user.away) for user in gone]
        return call.reply(chat.AWAY_LIST_HEADER(), *rows)
    me = world.users[call.user]
    me.away = call.args
    out = call.reply(chat.AWAY_ON())
    world.announce_user(me, out)
    return out


def back(call: Call, world: World) -> Result:
    """Be back."""
    me = world.users[call.user]
    if me.away is None:
        raise Refused(Refusal.NOT_AWAY)
    me.away = None
    out = call.reply(chat.BACK())
    world.announce_user(me, out)
    return out
