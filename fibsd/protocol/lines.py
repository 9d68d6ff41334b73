"""Bytes to lines, and lines to text that is safe to store, show and send on.

A line ends with CR LF, LF or CR NUL and with nothing else, here and everywhere: no function that knows
more line ends may be used on a client's text (FIBS protocol, "Rules that hold everywhere").
"""

from __future__ import annotations

import enum
from typing import Final

import attrs

LINE_LIMIT: Final = 4096

BACKSPACE: Final = "\x08"
DELETE: Final = "\x7f"
BYTE_ORDER_MARK: Final = "\ufeff"


class TooLong(enum.Enum):
    """The type of TOO_LONG, an enum so that `is TOO_LONG` narrows the type of an item."""

    TOO_LONG = enum.auto()


TOO_LONG: Final = TooLong.TOO_LONG

Item = bytes | TooLong


@attrs.define
class LineSplitter:
    """Cuts one connection's bytes into lines; holds at most `limit` bytes and one CR.

    Attributes:
        limit: Longest line in bytes, its end not counted.
        dropped: Bytes of overlong lines thrown away since the last line that was given out. It tells the
            caller when to hang up on a line without an end.
    """

    limit: int = LINE_LIMIT
    dropped: int = attrs.field(default=0, init=False)
    _rest: bytes = attrs.field(default=b"", init=False)
    _skipping: bool = attrs.field(default=False, init=False)

    def feed(self, data: bytes) -> list[Item]:
        """Take the application's bytes of one read.

        Args:
            data: Bytes cut anywhere, also between CR and what follows it.

        Returns:
            Complete lines without their ends, in order, and one TOO_LONG for each overlong line, as soon as
            it is known to be too long.
        """
        if self._rest:
            data = self._rest + data
        if b"\r\0" in data:
            data = data.replace(b"\r\0", b"\r\n")
        pieces = data.split(b"\n")
        rest = pieces.pop()
        items: list[Item] = []
        for ended in pieces:
            line = ended.removesuffix(b"\r")
            if self._skipping:
                self._skipping = False
                self.dropped += len(line)
            elif len(line) > self.limit:
                self.dropped += len(line)
                items.append(TOO_LONG)
            else:
                self.dropped = 0
                items.append(line)
        self._rest = self._kept(rest, items) if rest else b""
        return items

    def _kept(self, rest: bytes, items: list[Item]) -> bytes:
        """What is kept of a line that goes on with the next read."""
        # A CR at the end waits: only the byte after it tells whether it ends the line or belongs to it.
        open_line = rest.removesuffix(b"\r")
        if not self._skipping and len(open_line) > self.limit:
            self._skipping = True
            items.append(TOO_LONG)
        if self._skipping:
            self.dropped += len(open_line)
            rest = rest[len(open_line) :]
        return rest


def _removals() -> dict[int, str | None]:
    """What never passes: both ranges of control characters, line separators, signs that turn text round."""
    kept_for_editing = {ord(BACKSPACE), ord(DELETE)}
    controls = {*range(0x20), *range(0x80, 0xA0)} - kept_for_editing
    separators = {0x2028, 0x2029}
    bidirectional = {0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)}
    table: dict[int, str | None] = dict.fromkeys(controls | separators | bidirectional)
    table[ord("\t")] = " "
    table[ord("\ufffd")] = "?"
    return table


_REMOVALS: Final = _removals()


def _edited(text: str) -> str:
    """Backspace and delete as a line-mode terminal does them: each erases the character before it."""
    kept: list[str] = []
    for character in text:
        if character in (BACKSPACE, DELETE):
            if kept:
                kept.pop()
        else:
            kept.append(character)
    return "".join(kept)


def decode_text(raw: bytes) -> str:
    """Text of one line, with nothing in it that could move a cursor, end a line or turn text round.

    Each invalid UTF-8 sequence becomes `?`, a TAB a blank. Control characters (C0, DEL, C1), line separators,
    bidirectional signs and a leading byte order mark are removed. Backspace and DEL first erase the character
    before them; characters that are removed anyway do not count as one.

    Args:
        raw: One line without its end.
    """
    if raw.isascii():
        text = raw.decode("ascii")
        if text.isprintable():
            return text
    else:
        text = raw.decode("utf-8", errors="replace")
    text = text.translate(_REMOVALS)
    if BACKSPACE in text or DELETE in text:
        text = _edited(text)
    return text.lstrip(BYTE_ORDER_MARK)


def encode_text(text: str, utf8: bool) -> bytes:
    """Bytes for a client: ASCII with `?` for each character that has none, or UTF-8 for those who chose it.

    Args:
        text: Any text; line ends in it are the caller's.
        utf8: The session has `set charset utf8`.
    """
    return text.encode("utf-8" if utf8 else "ascii", "replace")
