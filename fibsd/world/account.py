"""An account: who a user is, what he has set, how he is rated."""

import enum
from collections.abc import Mapping
from functools import lru_cache

import attrs

from fibsd.rating import Standing
from fibsd.values import frozen
from fibsd.world.ids import UserName

START_RATING = 1500.0
UNLIMITED_REDOUBLES = 100
"""How `unlimited` of the setting `redoubles` is kept; 1 to 99 stand for themselves, 0 for `none`."""
BOT = "bot"
"""The right that is none: the word that marks the account of a program."""


class Toggle(enum.Enum):
    """The 17 switches of FIBS, in the order in which `toggle` lists them (FIBS help: toggle)."""

    ALLOWPIP = "allowpip"
    AUTOBOARD = "autoboard"
    AUTODOUBLE = "autodouble"
    AUTOMOVE = "automove"
    BELL = "bell"
    CRAWFORD = "crawford"
    DOUBLE = "double"
    GREEDY = "greedy"
    MOREBOARDS = "moreboards"
    MOVES = "moves"
    NOTIFY = "notify"
    RATINGS = "ratings"
    READY = "ready"
    REPORT = "report"
    SILENT = "silent"
    TELNET = "telnet"
    WRAP = "wrap"

    # Members are single objects; the hash that enums have goes through Python at each look into a set of them.
    __hash__ = object.__hash__


DEFAULT_TOGGLES: frozenset[Toggle] = frozenset(
    {
        Toggle.ALLOWPIP,
        Toggle.AUTOBOARD,
        Toggle.CRAWFORD,
        Toggle.DOUBLE,
        Toggle.MOREBOARDS,
        Toggle.NOTIFY,
        Toggle.REPORT,
        Toggle.TELNET,
    }
)
"""What is on for a new account (as the own-info line of a new FIBS account in 2020 has it)."""

GAME_TOGGLES: frozenset[Toggle] = frozenset({Toggle.DOUBLE, Toggle.GREEDY, Toggle.MOVES})
"""Switches that belong to one game and return to their defaults when the next one starts."""


class SortWho(enum.Enum):
    """Orders of the `who` list (FIBS help: sortwho)."""

    LOGIN = "login"
    NAME = "name"
    RATING = "rating"
    RRATING = "rrating"


class Charset(enum.Enum):
    """What a session is sent for letters outside ASCII: `?`, or UTF-8."""

    ASCII = "ascii"
    UTF8 = "utf8"


@frozen(kw_only=True)
class Settings:
    """All that a user has set and that is kept over logins.

    Attributes:
        toggles: The switches that are on.
        boardstyle: 1 to 3, or None while the user has not chosen (then 3 for a CLIP session, else 2).
        linelength: Columns, 0 to 999; 0 means no limit.
        pagelength: Lines, 0 to 999; 0 means no pages.
        redoubles: 0 to 99, or `UNLIMITED_REDOUBLES`.
        sortwho: Order of the `who` list.
        timezone: A name from the zone database.
        email: Address given with `address`, or None.
        charset: Bytes for letters outside ASCII.
        extras: Whether sessions get what FIBS does not have, or None while the user has not chosen (then it depends
            on how he logged in).
        playout: Whether the server plays his turns once no contact is left.
        gagged: Users this one does not hear.
        blinded: Users that may not watch this one.
    """

    toggles: frozenset[Toggle] = DEFAULT_TOGGLES
    boardstyle: int | None = None
    linelength: int = 0
    pagelength: int = 0
    redoubles: int = 0
    sortwho: SortWho = SortWho.LOGIN
    timezone: str = "UTC"
    email: str | None = None
    charset: Charset = Charset.ASCII
    extras: bool | None = None
    playout: bool = False
    gagged: frozenset[UserName] = frozenset()
    blinded: frozenset[UserName] = frozenset()

    def on(self, toggle: Toggle) -> bool:
        """Whether the switch is on."""
        return toggle in self.toggles

    def flip(self, toggle: Toggle) -> "Settings":
        """The same settings with one switch turned over."""
        return attrs.evolve(self, toggles=self.toggles ^ {toggle})

    def with_toggle(self, toggle: Toggle, on: bool) -> "Settings":
        """The same settings with one switch on or off."""
        return self if self.on(toggle) == on else self.flip(toggle)


@lru_cache(maxsize=4096)
def shared(settings: Settings) -> Settings:
    """Equal settings as one object: a thousand users on-line have set much the same, and a set of switches is large."""
    return settings


@frozen(kw_only=True)
class Account:
    """One registered user.

    Attributes:
        name: Unique without regard to letter case.
        password_hash: Argon2 string; never shown to anybody.
        rating: FIBS rating, unrounded.
        experience: Sum of the lengths of all rated matches.
        created: Unix seconds.
        last_login: Unix seconds of the newest login, the present one included, or None.
        last_host: Where that login came from, or None.
        last_logout: Unix seconds, or None.
        settings: See `Settings`.
        rights: Words such as `admin`, given by the operator, and `BOT`, which a user gives himself; empty for a player.
        muted_until: Unix seconds until which he may not shout, kibitz or whisper, or None.
        recovery_hash: Argon2 string of his recovery code, or None while he has none.
    """

    name: UserName
    password_hash: str
    rating: float = START_RATING
    experience: int = 0
    created: float = 0.0
    last_login: float | None = None
    last_host: str | None = None
    last_logout: float | None = None
    settings: Settings = Settings()
    rights: frozenset[str] = frozenset()
    muted_until: float | None = None
    recovery_hash: str | None = None

    @property
    def is_bot(self) -> bool:
        """Whether a program plays under this name, as its owner says."""
        return BOT in self.rights

    @property
    def standing(self) -> Standing:
        """What the rating formula needs of this account."""
        return Standing(name=self.name, rating=self.rating, experience=self.experience)


TOGGLES_BY_NAME: Mapping[str, Toggle] = {toggle.value: toggle for toggle in Toggle}
