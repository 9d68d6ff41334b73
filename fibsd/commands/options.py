"""Variables of ours: what `set` knows beside those of FIBS, and `show options` lists.

They are recognised only when typed in full, and never stand in the list that old clients count.
"""

from collections.abc import Callable, Mapping

import attrs

from fibsd.commands.call import Call
from fibsd.protocol.messages import own
from fibsd.protocol.messages.template import Template
from fibsd.values import frozen
from fibsd.world import helps
from fibsd.world.account import BOT, Charset, Settings
from fibsd.world.audience import Result
from fibsd.world.changes import RightsChanged
from fibsd.world.errors import Refusal, Refused
from fibsd.world.lobby import Presence
from fibsd.world.world import World

Setter = Callable[[Settings, str], tuple[Settings, str]]
"""Makes other settings of the old ones and a word; gives them with the sentence that confirms it."""
Value = Callable[[Presence], str]
"""What is set for a user, in a word."""

_YES_NO: Mapping[str, bool] = {"yes": True, "no": False}


@frozen
class Option:
    """One variable of ours.

    Attributes:
        change: Sets it for the caller to a word.
        value: What is set now.
        row: Its line of `show options`.
    """

    change: Callable[[Call, World, str], Result]
    value: Value
    row: Template


def keep(call: Call, world: World, setter: Setter, word: str) -> Result:
    """Change one of the caller's settings."""
    me = world.users[call.user]
    changed, said = setter(me.settings, word)
    out = call.reply(said)
    world.change_settings(me, changed, out)
    return out


def _charset(call: Call, world: World, word: str) -> Result:
    return keep(call, world, _with_charset, word)


def _with_charset(old: Settings, word: str) -> tuple[Settings, str]:
    try:
        charset = Charset(word.lower())
    except ValueError:
        raise Refused(Refusal.SET_CHARSET_BAD) from None
    return attrs.evolve(old, charset=charset), own.OWN_SET_CHARSET_TO(value=charset.value)


def _extras(call: Call, world: World, word: str) -> Result:
    return keep(call, world, _with_extras, word)


def _with_extras(old: Settings, word: str) -> tuple[Settings, str]:
    return attrs.evolve(old, extras=_truth(word)), _set_to("extras", word)


def _playout(call: Call, world: World, word: str) -> Result:
    out = keep(call, world, _with_playout, word)
    helps.play_on_now(world, world.users[call.user], out)
    return out


def _with_playout(old: Settings, word: str) -> tuple[Settings, str]:
    return attrs.evolve(old, playout=_truth(word)), _set_to("playout", word)


def _bot(call: Call, world: World, word: str) -> Result:
    """Mark the account as one of a program, or take the mark away: no other right is touched."""
    me, marked = world.users[call.user], _truth(word)
    rights = me.account.rights | {BOT} if marked else me.account.rights - {BOT}
    me.account = attrs.evolve(me.account, rights=rights)
    out = call.reply(_set_to("bot", word))
    out.store(RightsChanged(name=me.name, rights=rights))
    return out


def _truth(word: str) -> bool:
    """What `yes` or `no` means.

    Raises:
        Refused: It is another word.
    """
    found = _YES_NO.get(word.lower())
    if found is None:
        raise Refused(Refusal.SET_YES_NO_BAD)
    return found


def _set_to(name: str, word: str) -> str:
    return own.OWN_SET_YES_NO_TO(word=name, value=word.lower())


def _yes_no(on: bool) -> str:
    return "yes" if on else "no"


OPTIONS: Mapping[str, Option] = {
    "bot": Option(_bot, lambda user: _yes_no(user.account.is_bot), own.OWN_OPTION_BOT),
    "charset": Option(_charset, lambda user: user.settings.charset.value, own.OWN_OPTION_CHARSET),
    "extras": Option(_extras, lambda user: _yes_no(user.extras), own.OWN_OPTION_EXTRAS),
    "playout": Option(_playout, lambda user: _yes_no(user.settings.playout), own.OWN_OPTION_PLAYOUT),
}


def show_options(call: Call, world: World) -> Result:
    """List the variables of ours."""
    me = world.users[call.user]
    return call.reply(own.OWN_OPTIONS(), *(one.row(value=one.value(me)) for one in OPTIONS.values()))
