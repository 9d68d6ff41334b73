"""Rows of the tables as the world's values, and back.

What comes from a row is checked: nobody else stands between a damaged file and the rules.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

from fibsd.backgammon.side import BySide
from fibsd.storage.store import Ranked, StoreError
from fibsd.values import frozen
from fibsd.world.account import (
    DEFAULT_TOGGLES,
    TOGGLES_BY_NAME,
    UNLIMITED_REDOUBLES,
    Account,
    Charset,
    Settings,
    SortWho,
    shared,
)
from fibsd.world.changes import Audit, Ban, Booked, MatchRow, MatchTerms, Message
from fibsd.world.errors import Refused
from fibsd.world.ids import MatchId, UserName
from fibsd.world.terms import AddedTerms, parse_terms

T = TypeVar("T")
Row = Mapping[str, Any]

WIDEST = 999
"""Largest line and page length."""


def is_rating(value: object) -> bool:
    """Whether a user can have this rating: a finite number, not negative; 0 and 700000 are odd but good."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf


@frozen
class _Cells:
    """One row under examination; every complaint names the table, the row and the column."""

    table: str
    key: object
    row: Row

    def bad(self, column: str) -> NoReturn:
        value = repr(self.row.get(column))
        shown = value if len(value) <= 60 else value[:60] + "..."
        raise StoreError(f"damaged row in {self.table}, {self.key!r}: {column} is {shown}")

    def _checked(self, column: str, kind: type[T], good: Callable[[T], bool]) -> T:
        value = self.row[column]
        if type(value) is not kind or not good(value):
            self.bad(column)
        return value

    def text(self, column: str) -> str:
        return self._checked(column, str, lambda _: True)

    def name(self, column: str) -> UserName:
        return UserName(self._checked(column, str, bool))

    def whole(self, column: str, low: int = 0, high: float = math.inf) -> int:
        return self._checked(column, int, lambda value: low <= value <= high)

    def truth(self, column: str) -> bool:
        return self._checked(column, bool, lambda _: True)

    def number(self, column: str) -> float:
        value = self.row[column]
        # A whole number may come back as an int.
        if type(value) not in (int, float) or not math.isfinite(value):
            self.bad(column)
        return float(value)

    def rating(self, column: str) -> float:
        if not is_rating(self.row[column]):
            self.bad(column)
        return float(self.row[column])

    def optional(self, column: str, read: Callable[[str], T]) -> T | None:
        return None if self.row[column] is None else read(column)


def encode_settings(settings: Settings) -> str:
    """The settings as one JSON object.

    It has every switch by name, on or off: one that a later version adds starts at its default.
    """
    return json.dumps(
        {
            "toggles": {name: toggle in settings.toggles for name, toggle in TOGGLES_BY_NAME.items()},
            "boardstyle": settings.boardstyle,
            "linelength": settings.linelength,
            "pagelength": settings.pagelength,
            "redoubles": settings.redoubles,
            "sortwho": settings.sortwho.value,
            "timezone": settings.timezone,
            "email": settings.email,
            "charset": settings.charset.value,
            "extras": settings.extras,
            "playout": settings.playout,
            "gagged": sorted(settings.gagged),
            "blinded": sorted(settings.blinded),
        },
        separators=(",", ":"),
    )


def decode_settings(text: str, *, name: str) -> Settings:
    """The settings in this JSON object; unknown keys and words are passed over, missing ones default.

    Args:
        text: What `encode_settings` of this or another version made.
        name: Whose they are, for the complaint.

    Raises:
        StoreError: Not such an object, or a value of the wrong kind or out of range.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        _Cells("accounts", name, {"settings": text}).bad("settings")
    cells = _Cells("accounts", name, {f"settings.{key}": value for key, value in found.items()})
    readers: dict[str, Callable[[str], object]] = {
        "toggles": lambda column: _toggles(cells, column),
        "boardstyle": lambda column: cells.optional(column, lambda c: cells.whole(c, 1, 3)),
        "linelength": lambda column: cells.whole(column, 0, WIDEST),
        "pagelength": lambda column: cells.whole(column, 0, WIDEST),
        "redoubles": lambda column: cells.whole(column, 0, UNLIMITED_REDOUBLES),
        "sortwho": lambda column: _word(cells.text(column), SortWho, SortWho.LOGIN),
        "timezone": cells.text,
        "email": lambda column: cells.optional(column, cells.text),
        "charset": lambda column: _word(cells.text(column), Charset, Charset.ASCII),
        "extras": lambda column: cells.optional(column, cells.truth),
        "playout": cells.truth,
        "gagged": lambda column: _names(cells, column),
        "blinded": lambda column: _names(cells, column),
    }
    known: dict[str, Any] = {key: read(f"settings.{key}") for key, read in readers.items() if key in found}
    return shared(Settings(**known))


def _toggles(cells: _Cells, column: str) -> frozenset[object]:
    found = cells.row[column]
    if not isinstance(found, dict) or not all(isinstance(on, bool) for on in found.values()):
        cells.bad(column)
    return frozenset(toggle for name, toggle in TOGGLES_BY_NAME.items() if found.get(name, toggle in DEFAULT_TOGGLES))


def _names(cells: _Cells, column: str) -> frozenset[UserName]:
    found = cells.row[column]
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
        cells.bad(column)
    return frozenset(UserName(name) for name in found)


def _word(value: str, kind: Callable[[str], T], default: T) -> T:
    try:
        return kind(value)
    except ValueError:
        return default


def replace_name(text: str, old: UserName, new: UserName | None) -> str:
    """The settings in this JSON object with another name in the lists of names, or without it.

    The text comes back as it is if it names nobody so, or is none that can be read: whoever loads the account
    is told of that.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    lists = [key for key in ("gagged", "blinded") if isinstance(found, dict) and isinstance(found.get(key), list)]
    named = [key for key in lists if old in found[key]]
    if not named:
        return text
    for key in named:
        others = [name for name in found[key] if name not in (old, new)]
        found[key] = others if new is None else sorted([*others, new], key=str)
    return json.dumps(found, separators=(",", ":"))


def encode_rights(rights: frozenset[str]) -> str:
    """The words with a space between."""
    return " ".join(sorted(rights))


def account(row: Row) -> Account:
    """The account in a row of `accounts`.

    Raises:
        StoreError: The row is damaged, or its rating is not one (see `is_rating`).
    """
    cells = _Cells("accounts", row["name"], row)
    name = cells.name("name")
    if row["key"] != name.lower():
        cells.bad("key")
    return Account(
        name=name,
        password_hash=cells.text("password_hash"),
        rating=cells.rating("rating"),
        experience=cells.whole("experience"),
        created=cells.number("created"),
        last_login=cells.optional("last_login", cells.number),
        last_host=cells.optional("last_host", cells.text),
        last_logout=cells.optional("last_logout", cells.number),
        settings=decode_settings(cells.text("settings"), name=name),
        rights=frozenset(cells.text("rights").split()),
        muted_until=cells.optional("muted_until", cells.number),
        recovery_hash=cells.optional("recovery_hash", cells.text),
    )


def ranked(row: Row, rank: int | None) -> Ranked:
    """A row of the ratings list, from the columns `name`, `rating` and `experience` of `accounts`.

    Raises:
        StoreError: The row is damaged.
    """
    cells = _Cells("accounts", row["name"], row)
    return Ranked(
        rank=rank,
        name=cells.name("name"),
        rating=cells.rating("rating"),
        experience=cells.whole("experience"),
    )


def match(row: Row, entries: Sequence[tuple[int, str]]) -> MatchRow:
    """The match in a row of `matches`.

    Args:
        row: Also has `newest`: when its newest entry was made, else when it started.
        entries: (seq, entry) of its rows of `journal`, by seq.

    Raises:
        StoreError: The row is damaged, or the journal has a gap.
    """
    cells = _Cells("matches", row["id"], row)
    return MatchRow(
        id=MatchId(cells.whole("id", 1)),
        names=BySide(o=cells.name("name_o"), x=cells.name("name_x")),
        terms=MatchTerms(
            length=cells.optional("length", lambda column: cells.whole(column, 1)),
            crawford=cells.truth("crawford"),
            redoubles=cells.whole("redoubles"),
            autodoubles=cells.whole("autodoubles"),
            added=_added(cells),
        ),
        started=cells.number("started"),
        entries=whole_journal(MatchId(row["id"]), entries),
        left_by=cells.optional("left_by", cells.name),
        finished=cells.optional("finished", cells.number),
        touched=cells.number("newest"),
        settled=cells.optional("settled", cells.whole),
    )


def booked(row: Row) -> Booked:
    """What a row of `rating_history`, with the `length` of its match, tells.

    Raises:
        StoreError: The row is damaged.
    """
    cells = _Cells("rating_history", row["match_id"], row)
    return Booked(
        name=cells.name("name"),
        before=cells.number("rating_before"),
        after=cells.number("rating_after"),
        experience=cells.whole("length", 1),
    )


def _added(cells: _Cells) -> AddedTerms:
    try:
        return parse_terms(cells.text("terms").split(), unlimited=cells.row["length"] is None)
    except Refused:
        cells.bad("terms")


def whole_journal(match_id: MatchId, entries: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    """The entries without their numbers, which must count from 0 without gaps.

    Raises:
        StoreError: They do not, or an entry is no text.
    """
    for expected, (seq, entry) in enumerate(entries):
        if seq != expected:
            raise StoreError(f"damaged journal of match {match_id}: entry {expected} is missing")
        if not isinstance(entry, str):
            raise StoreError(f"damaged row in journal, {(match_id, seq)}: entry is {entry!r}")
    return tuple(entry for _, entry in entries)


def message(row: Row) -> Message:
    """The message in a row of `messages`.

    Raises:
        StoreError: The row is damaged.
    """
    cells = _Cells("messages", row["id"], row)
    return Message(
        id=cells.whole("id", 1),
        to=cells.name("recipient"),
        sender=cells.name("sender"),
        at=cells.number("at"),
        text=cells.text("text"),
    )


def ban(row: Row) -> Ban:
    """The ban in a row of `bans`.

    Raises:
        StoreError: The row is damaged.
    """
    cells = _Cells("bans", row["id"], row)
    if (row["name"] is None) == (row["network"] is None):
        cells.bad("network")
    return Ban(
        id=cells.whole("id", 1),
        name=cells.optional("name", cells.name),
        network=cells.optional("network", cells.text),
        until=cells.optional("until", cells.number),
        reason=cells.text("reason"),
        by=cells.text("by"),
        at=cells.number("at"),
    )


def audit(row: Row) -> Audit:
    """The act in a row of `audit`.

    Raises:
        StoreError: The row is damaged.
    """
    cells = _Cells("audit", row["id"], row)
    return Audit(
        at=cells.number("at"),
        by=cells.text("by"),
        act=cells.text("act"),
        subject=cells.text("subject"),
        details=cells.text("details"),
    )


def text(row: Row) -> str:
    """The text in a row of `texts`.

    Raises:
        StoreError: The row is damaged.
    """
    return _Cells("texts", row["key"], row).text("text")
