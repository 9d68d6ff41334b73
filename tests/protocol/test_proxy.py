"""Headers of the PROXY protocol: whole, cut in pieces, and wrong."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fibsd.protocol.proxy import LOCAL_HEADER, LONGEST, SIGNATURE, MalformedHeader, missing, source

PORTS = b"\x10\xe1\x00\x50"


def header(command: int, family: int, rest: bytes, *, version: int = 2, length: int | None = None) -> bytes:
    """A header; its length may be told wrongly."""
    told = len(rest) if length is None else length
    return SIGNATURE + bytes([version << 4 | command, family]) + told.to_bytes(2, "big") + rest


def proxied(peer: str, here: str, extensions: bytes = b"") -> bytes:
    """A header for a TCP connection of this peer."""
    one, other = ipaddress.ip_address(peer), ipaddress.ip_address(here)
    return header(1, 0x11 if one.version == 4 else 0x21, one.packed + other.packed + PORTS + extensions)


def read(stream: bytes, piece: int = 1 << 20) -> tuple[bytes, bytes]:
    """What a reader that keeps to `missing` takes from a stream, and what it leaves."""
    data = b""
    while wanted := missing(data):
        more = stream[: min(wanted, piece)]
        if not more:
            raise EOFError
        data, stream = data + more, stream[len(more) :]
    return data, stream


def test_address_of_version_4() -> None:
    example = bytes.fromhex("0d0a0d0a000d0a515549540a2111000cac130001ac130003a6520050")
    assert read(example + b"GET / ") == (example, b"GET / ")
    assert source(example) == "172.19.0.1"


def test_address_of_version_6() -> None:
    assert source(proxied("2001:db8::7", "2001:db8::1")) == "2001:db8::7"


def test_one_peer_has_one_address() -> None:
    """IPv4 dressed as IPv6 is IPv4, or a ban would miss it."""
    assert source(proxied("::ffff:192.0.2.7", "::ffff:192.0.2.1")) == "192.0.2.7"


@pytest.mark.parametrize(
    "data",
    [
        LOCAL_HEADER,
        header(0, 0x11, b"\xff" * 12),
        header(0, 0xFF, b"whatever"),
        header(1, 0x00, b""),
        header(1, 0x00, b"\x03\x00\x04abcd"),
        header(1, 0x31, b"/run/x".ljust(216, b"\0")),
    ],
    ids=["local", "local with addresses", "local of unknown family", "unspecified", "unspecified with more", "unix"],
)
def test_headers_that_tell_no_address(data: bytes) -> None:
    """The address of the connection counts."""
    assert missing(data) == 0
    assert source(data) is None


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"PROXY TCP4 192.0.2.7 192.0.2.1 1 2\r\n", "not of version 2"),
        (b"login: ", "not of version 2"),
        (b"\x16\x03\x01", "not of version 2"),
        (header(1, 0x11, b"", version=1), "of version 1"),
        (header(2, 0x11, b""), "unknown command 2"),
        (header(1, 0x11, b"", length=LONGEST + 1), f"{LONGEST + 17} bytes long"),
        (header(1, 0x41, b"x" * 40), "unknown family 0x41"),
        (header(1, 0x13, b"x" * 40), "unknown family 0x13"),
        (header(1, 0x11, b"x" * 11), "without its addresses"),
        (header(1, 0x21, b"x" * 35), "without its addresses"),
    ],
)
def test_malformed_headers(data: bytes, told: str) -> None:
    with pytest.raises(MalformedHeader) as caught:
        source(read(data)[0])
    assert str(caught.value) == told


def test_longest_header() -> None:
    data = proxied("192.0.2.7", "192.0.2.1", b"x" * (LONGEST - 12))
    assert read(data) == (data, b"")
    assert source(data) == "192.0.2.7"


# --- whatever comes --------------------------------------------------------------------------------------------

addresses = st.one_of(
    st.tuples(st.ip_addresses(v=4), st.ip_addresses(v=4)), st.tuples(st.ip_addresses(v=6), st.ip_addresses(v=6))
)


@given(pair=addresses, extensions=st.binary(max_size=300), after=st.binary(max_size=40), piece=st.integers(1, 50))
def test_what_was_written_is_read_and_nothing_behind_it(
    pair: tuple[ipaddress.IPv4Address | ipaddress.IPv6Address, object], extensions: bytes, after: bytes, piece: int
) -> None:
    """However it is cut, whatever extensions it has."""
    peer, here = pair
    data = proxied(str(peer), str(here), extensions)
    assert read(data + after, piece) == (data, after)
    told = ipaddress.ip_address(source(data))
    assert told == (getattr(peer, "ipv4_mapped", None) or peer)


@given(data=st.one_of(st.binary(max_size=300), st.binary(max_size=300).map(lambda rest: SIGNATURE + rest)))
def test_no_bytes_do_harm(data: bytes) -> None:
    """They are a header, the beginning of one, or malformed; never more is asked for than the bound."""
    taken = b""
    try:
        while wanted := missing(taken):
            assert 0 < wanted <= LONGEST
            if not data:
                return
            taken, data = taken + data[:wanted], data[wanted:]
        peer = source(taken)
    except MalformedHeader:
        return
    assert len(taken) <= 16 + LONGEST
    assert peer is None or ipaddress.ip_address(peer)


@given(data=st.binary(min_size=1, max_size=20))
def test_a_wrong_beginning_is_seen_at_its_first_wrong_byte(data: bytes) -> None:
    """So that nobody who never was a proxy is waited for."""
    common = next((n for n, byte in enumerate(data[:12]) if byte != SIGNATURE[n]), None)
    if common is None:
        return
    for length in range(common + 1):
        assert missing(data[:length]) > 0
    with pytest.raises(MalformedHeader):
        missing(data[: common + 1])
