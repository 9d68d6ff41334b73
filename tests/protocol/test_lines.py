"""Bytes to lines, whatever the network does to them, and lines to text that is safe to show."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fibsd.protocol.lines import LINE_LIMIT, TOO_LONG, Item, LineSplitter, decode_text, encode_text
from fibsd.protocol.telnet import TelnetFilter
from tests.support.chunks import chunked, cut

PIECES = st.sampled_from([b"\r\n", b"\n", b"\r\0", b"\r", b"\0", b"who", b"tell bob hi", b"\r\r\n", b"x" * 9])
FORBIDDEN = {*"\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"}


def _lines(*chunks: bytes, limit: int = LINE_LIMIT) -> list[Item]:
    splitter = LineSplitter(limit=limit)
    return [item for chunk in chunks for item in splitter.feed(chunk)]


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"tell bob x\n", [b"tell bob x"]),
        (b"tell bob x\r\n", [b"tell bob x"]),
        (b"tell bob x\r\0", [b"tell bob x"]),
        (b"tell bob x\rbye\n", [b"tell bob x\rbye"]),
        (b"\r\n", [b""]),
        (b"\r\0", [b""]),
        (b"\0\r\n", [b"\0"]),
        (b"\n\n", [b"", b""]),
        (b"join\r\n\n\n", [b"join", b"", b""]),
        (b"a\r\r\n", [b"a\r"]),
        (b"a\r\r\0b\n", [b"a\r", b"b"]),
        (b"a\n\rb\n", [b"a", b"\rb"]),
        (b"a\x0bb\x0cc\x1cd\x85e\xc2\x85f\xe2\x80\xa8g\n", [b"a\x0bb\x0cc\x1cd\x85e\xc2\x85f\xe2\x80\xa8g"]),
        (b"no end", []),
        (b"", []),
    ],
)
def test_line_ends(data: bytes, lines: list[bytes]) -> None:
    """CR LF, LF, CR NUL and nothing else, whole and byte by byte."""
    assert _lines(data) == lines
    assert _lines(*(bytes((byte,)) for byte in data)) == lines


@given(chunked(PIECES), st.integers(0, 12))
def test_any_chunking_gives_the_same_lines(chunks: list[bytes], limit: int) -> None:
    """Also when lines are too long and when a chunk ends at a CR."""
    whole, parts = LineSplitter(limit=limit), LineSplitter(limit=limit)
    expected = whole.feed(b"".join(chunks))
    items = []
    for chunk in chunks:
        items += parts.feed(chunk)
        assert len(parts._rest) <= limit + 1
    assert items == expected
    assert parts == whole


@given(st.binary(max_size=300), st.lists(st.integers(0, 400), max_size=12))
def test_no_bytes_crash_the_framing(data: bytes, places: list[int]) -> None:
    """Telnet filter, splitter and text in a row take anything."""
    telnet, splitter = TelnetFilter(), LineSplitter()
    for chunk in cut(data, places):
        for item in splitter.feed(telnet.feed(chunk)):
            assert item is not TOO_LONG
            assert "\n" not in decode_text(item)
    telnet.replies()


@given(st.lists(st.binary(max_size=20).filter(lambda line: not line.endswith(b"\r")), max_size=10))
def test_lines_come_back(lines: list[bytes]) -> None:
    """What is written as lines is read as the same lines."""
    clean = [line.replace(b"\n", b"").replace(b"\r", b"") for line in lines]
    assert _lines(b"".join([line + b"\r\n" for line in clean])) == clean


def test_a_line_of_just_the_limit_passes() -> None:
    """The end of the line does not count, whichever it is."""
    line = b"x" * LINE_LIMIT
    for end in (b"\r\n", b"\n", b"\r\0"):
        assert _lines(line + end) == [line]
        assert _lines(line, *(bytes((byte,)) for byte in end)) == [line]
        assert _lines(line + b"x" + end) == [TOO_LONG]
    assert _lines(line + b"\r", b"x\n") == [TOO_LONG]


def test_a_long_line_is_refused_once_and_the_next_one_works() -> None:
    """However it arrives, and wherever its cut falls."""
    data = b"shout " + b"x" * 100_000 + b"\r\nwho\r\n"
    assert _lines(data) == [TOO_LONG, b"who"]
    assert _lines(*(data[at : at + 1000] for at in range(0, len(data), 1000))) == [TOO_LONG, b"who"]
    sign = "\U0001f3b2".encode()
    cut_inside = b"shout " + b"x" * (LINE_LIMIT - 8) + sign + b"\r\nwho\r\n"
    assert _lines(cut_inside) == [TOO_LONG, b"who"]


def test_an_endless_line_is_counted_in_bounded_memory() -> None:
    """The caller can hang up; until then nothing grows."""
    splitter = LineSplitter()
    items: list[Item] = []
    for _ in range(1024):
        items += splitter.feed(b"x" * 1024)
        assert len(splitter._rest) <= LINE_LIMIT + 1
    assert items == [TOO_LONG]
    assert splitter.dropped == 1024 * 1024


def test_the_count_of_dropped_bytes_ends_with_a_good_line() -> None:
    """Long lines one after another add up."""
    splitter = LineSplitter(limit=4)
    splitter.feed(b"12345\r\n123456\r\n123")
    assert splitter.dropped == 11
    splitter.feed(b"\r\n")
    assert splitter.dropped == 0


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"move 24-18 13-11", "move 24-18 13-11"),
        (b"", ""),
        (b"\0", ""),
        (b"who\x08\x08\x08bye", "bye"),
        (b"guest\x7f", "gues"),
        (b"\x08\x7f\x08who", "who"),
        (b"wh\x07\x08o", "wo"),
        ("tell bob caf\u00e9\x08e".encode(), "tell bob cafe"),
        (b"tell bob x\rbye", "tell bob xbye"),
        (b"tell\tbob\thi", "tell bob hi"),
        (b"\x1b[2J\x1b[1;1H**** Login: ", "[2J[1;1H**** Login: "),
        (b"\x07\x07", ""),
        (b"\x1b]0;x\x07", "]0;x"),
        (b"\xc2\x9b2J", "2J"),
        (b"\x9b2J", "?2J"),
        (b"tell bob \xc3", "tell bob ?"),
        (b"\xc0\xaf", "??"),
        (b"\xed\xa0\x80", "???"),
        (b"a\xffb", "a?b"),
        ("tell bob caf\u00e9".encode(), "tell bob caf\u00e9"),
        ("a\u2028b\u2029c\u0085d".encode(), "abcd"),
        ("\u202eevil\u202c \u2066x\u2069\u200e\u200f".encode(), "evil x"),
        (b"\xef\xbb\xbfguest", "guest"),
        (b"\x00\xef\xbb\xbfguest", "guest"),
    ],
)
def test_text_is_cleaned(raw: bytes, text: str) -> None:
    """Nothing that moves a cursor, ends a line or turns text round is left; backspaces have their effect."""
    assert decode_text(raw) == text


@given(
    st.binary(max_size=60)
    | st.text(max_size=60).map(str.encode)
    | st.text(alphabet=st.characters(max_codepoint=0xA0), max_size=40).map(str.encode)
)
def test_text_never_holds_a_control_character(raw: bytes) -> None:
    """Neither of the two ranges, nor a separator or bidirectional sign; cleaning twice changes nothing."""
    text = decode_text(raw)
    assert FORBIDDEN.isdisjoint(text)
    assert "Cc" not in map(unicodedata.category, text)
    assert decode_text(text.encode()) == text


def test_a_letter_cut_between_packets_arrives_once() -> None:
    """Text is decoded by the line, not by the packet."""
    (line,) = _lines(b"tell bob caf\xc3", b"\xa9\r\n")
    assert isinstance(line, bytes)
    text = decode_text(line)
    assert encode_text(text, utf8=True) == b"tell bob caf\xc3\xa9"
    assert encode_text(text, utf8=False) == b"tell bob caf?"


@given(st.text(max_size=40))
def test_encoding_never_fails(text: str) -> None:
    """One sign for each character in ASCII, and UTF-8 only for those who chose it."""
    ascii_bytes = encode_text(text, utf8=False)
    assert ascii_bytes.isascii()
    assert len(ascii_bytes) == len(text)
    assert encode_text(text, utf8=True).decode() == text


def test_a_lone_surrogate_is_no_failure() -> None:
    """It cannot come from a client, but must not kill a session if it comes from elsewhere."""
    assert encode_text("a\ud800", utf8=True) == b"a?"
    assert encode_text("a\ud800", utf8=False) == b"a?"
