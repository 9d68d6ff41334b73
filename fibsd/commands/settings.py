"""Commands that change what a user has set: toggle, set, address, save."""

import re
from collections.abc import Mapping
from zoneinfo import available_timezones

import attrs

from fibsd.commands.call import Call
from fibsd.commands.options import OPTIONS, Setter, Value, keep
from fibsd.protocol.clock import zone
from fibsd.protocol.messages import general, settings
from fibsd.protocol.views.room import redoubles_text
from fibsd.protocol.words import number, unique_prefix
from fibsd.world.account import (
    GAME_TOGGLES,
    TOGGLES_BY_NAME,
    UNLIMITED_REDOUBLES,
    Settings,
    SortWho,
    Toggle,
)
from fibsd.world.audience import Result
from fibsd.world.errors import Refusal, Refused
from fibsd.world.events import Declined, ToggleFlipped
from fibsd.world.lobby import Habit, Presence
from fibsd.world.record import SeatToggle
from fibsd.world.world import World

# --- toggle ----------------------------------------------------------------------------------------------------

_ALIASES = {"autoroll": Toggle.DOUBLE, "r": Toggle.READY}
"""`autoroll` is FIBS's other name for `double`; one client sends `toggle r` and means ready."""


def toggle(call: Call, world: World) -> Result:
    """List the switches, or turn some."""
    me = world.users[call.user]
    out = call.result()
    if not call.words:
        on = world.toggles_of(me)
        rows = (f"{one.value:<16}{'YES' if one in on else 'NO'}" for one in Toggle)
        return call.reply(settings.TOGGLES_HEADER(), *rows)
    for word in call.words:
        chosen = _toggle_named(word)
        if chosen is None:
            out.tell(call.me, Declined(Refusal.TOGGLE_UNKNOWN, {"word": word}))
        else:
            try:
                _flip(world, me, chosen, out)
            except Refused as refused:
                # What the words before it have changed stays.
                out.tell(call.me, Declined(refused.refusal, refused.fields))
                break
    return out


def _toggle_named(word: str) -> Toggle | None:
    lower = word.lower()
    if lower in _ALIASES:
        return _ALIASES[lower]
    name = unique_prefix(lower, TOGGLES_BY_NAME)
    return None if name is None else TOGGLES_BY_NAME[name]


def _flip(world: World, me: Presence, chosen: Toggle, out: Result) -> None:
    on = chosen not in world.toggles_of(me)
    address = me.connection.address
    if chosen in GAME_TOGGLES and me.table is not None:
        table = world.tables[me.table]
        world.spend(me, Habit.SEAT, out.now)
        table.enter(SeatToggle(table.side_of(me.name), chosen, on), out.now, out)
    else:
        world.change_settings(me, me.settings.with_toggle(chosen, on), out)
    out.tell(address, ToggleFlipped(chosen, on))
    if chosen is Toggle.READY:
        if not on:
            me.invitation = me.seek = None
        world.announce_user(me, out)


# --- set -------------------------------------------------------------------------------------------------------


def _boardstyle(old: Settings, word: str) -> tuple[Settings, str]:
    style = number(word)
    if style not in (1, 2, 3):
        raise Refused(Refusal.SET_BOARDSTYLE_BAD)
    return attrs.evolve(old, boardstyle=style), settings.SET_BOARDSTYLE_TO(number=style)


def _linelength(old: Settings, word: str) -> tuple[Settings, str]:
    length = _length(word, Refusal.SET_LINELENGTH_BAD)
    return attrs.evolve(old, linelength=length), settings.SET_LINELENGTH_TO(number=length)


def _pagelength(old: Settings, word: str) -> tuple[Settings, str]:
    length = _length(word, Refusal.SET_PAGELENGTH_BAD)
    return attrs.evolve(old, pagelength=length), settings.SET_PAGELENGTH_TO(number=length)


def _length(word: str, refusal: Refusal) -> int:
    length = number(word)
    if length is None or length > 999:
        raise Refused(refusal)
    return length


def _redoubles(old: Settings, word: str) -> tuple[Settings, str]:
    lower = word.lower()
    if lower == "none":
        return attrs.evolve(old, redoubles=0), settings.SET_REDOUBLES_NONE()
    if lower == "unlimited":
        return attrs.evolve(old, redoubles=UNLIMITED_REDOUBLES), settings.SET_REDOUBLES_UNLIMITED()
    count = number(word)
    if count is None or not 1 <= count <= 99:
        raise Refused(Refusal.SET_REDOUBLES_BAD)
    return attrs.evolve(old, redoubles=count), settings.SET_REDOUBLES_TO(number=count)


def _sortwho(old: Settings, word: str) -> tuple[Settings, str]:
    try:
        order = SortWho(word.lower())
    except ValueError:
        raise Refused(Refusal.SET_SORTWHO_BAD, word=word) from None
    return attrs.evolve(old, sortwho=order), settings.SET_SORTWHO_TO(value=order.value)


def _timezone(old: Settings, word: str) -> tuple[Settings, str]:
    check_timezone(word)
    return attrs.evolve(old, timezone=word), settings.SET_TIMEZONE_TO(timezone=word)


def check_timezone(word: str) -> None:
    """Raise `Refused`, with names to choose from, if this is no time zone."""
    try:
        zone(word)
    except ValueError:
        near = sorted(name for name in available_timezones() if word.lower() in name.lower())[:20]
        regions = ("UTC", "Europe/Amsterdam", "America/New_York", "Asia/Tokyo", "Australia/Melbourne")
        raise Refused(Refusal.SET_TIMEZONE_BAD, word=word, text="  " + " ".join(near or regions)) from None


_VARIABLES: Mapping[str, tuple[Setter, Value]] = {
    "boardstyle": (_boardstyle, lambda user: str(user.boardstyle)),
    "linelength": (_linelength, lambda user: str(user.settings.linelength)),
    "pagelength": (_pagelength, lambda user: str(user.settings.pagelength)),
    "redoubles": (_redoubles, lambda user: redoubles_text(user.settings.redoubles)),
    "sortwho": (_sortwho, lambda user: user.settings.sortwho.value),
    "timezone": (_timezone, lambda user: user.settings.timezone),
}


def set_variable(call: Call, world: World) -> Result:
    """List the variables, show one, or set one."""
    me, words = world.users[call.user], call.words
    if not words:
        rows = (f"{name + ':':<12}{value(me)}" for name, (_, value) in _VARIABLES.items())
        return call.reply(settings.SET_HEADER(), *rows)
    option = OPTIONS.get(words[0].lower())
    name = words[0].lower() if option is not None else unique_prefix(words[0].lower(), _VARIABLES)
    if name is None:
        raise Refused(Refusal.SET_UNKNOWN)
    if len(words) == 1:
        value = option.value if option is not None else _VARIABLES[name][1]
        return call.reply(settings.SET_VALUE_IS(word=name, value=value(me)))
    if option is not None:
        return option.change(call, world, words[1])
    setter, _ = _VARIABLES[name]
    return keep(call, world, setter, words[1])


def save(call: Call, world: World) -> Result:
    """Settings are always kept; the command is for those who are used to it."""
    return call.reply(general.SETTINGS_SAVED())


# --- address ---------------------------------------------------------------------------------------------------

ADDRESS_LIMIT = 60
_ADDRESS = re.compile(r"[!-?A-~]+@[!-?A-~]+", re.ASCII)


def address(call: Call, world: World) -> Result:
    """Give an e-mail address that others can see."""
    words = call.words
    if not words:
        raise Refused(Refusal.ADDRESS_NONE)
    if len(words[0]) > ADDRESS_LIMIT:
        raise Refused(Refusal.ADDRESS_LONG)
    if not _ADDRESS.fullmatch(words[0]):
        raise Refused(Refusal.ADDRESS_BAD, word=words[0])
    me = world.users[call.user]
    out = call.reply(general.ADDRESS_IS(email=words[0]))
    world.change_settings(me, attrs.evolve(me.settings, email=words[0]), out)
    world.announce_user(me, out)
    return out
