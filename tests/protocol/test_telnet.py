"""Telnet commands are taken out of the bytes, answered once, and never started by us."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fibsd.protocol.telnet import (
    AYT,
    DO,
    DONT,
    ECHO,
    IAC,
    NAWS,
    SB,
    SE,
    SGA,
    SUBNEGOTIATION_LIMIT,
    WILL,
    WONT,
    TelnetFilter,
    escape,
)
from tests.support.chunks import chunked, cut

TTYPE = 24
PIECES = st.sampled_from(
    [
        bytes(piece)
        for piece in (
            (IAC,),
            (IAC, IAC),
            (IAC, DO, ECHO),
            (IAC, WILL, NAWS),
            (IAC, WONT, NAWS),
            (IAC, SB, NAWS, 0, 80, 0, 24, IAC, SE),
            (IAC, SB, TTYPE, IAC, IAC, IAC, SE),
            (IAC, SB, NAWS),
            (IAC, SE),
            (IAC, AYT),
            (13, 10),
        )
    ]
)


def _command(*numbers: int) -> bytes:
    return bytes((IAC, *numbers))


def test_bytes_without_commands_pass_as_they_are() -> None:
    """The common chunk is not even copied."""
    data = b"move 24-18 13-11\r\n"
    assert TelnetFilter().feed(data) is data


@given(chunked(PIECES))
def test_any_chunking_gives_the_same(chunks: list[bytes]) -> None:
    """Bytes, window and state do not depend on where the network cut the stream."""
    whole, parts = TelnetFilter(), TelnetFilter()
    assert whole.feed(b"".join(chunks)) == b"".join([parts.feed(chunk) for chunk in chunks])
    assert whole == parts


@given(st.binary(max_size=200), st.lists(st.integers(0, 400), max_size=10))
def test_escaped_bytes_come_back(data: bytes, places: list[int]) -> None:
    """Whatever is escaped is what the filter of the other end gives out, and it is no command."""
    peer = TelnetFilter()
    assert b"".join([peer.feed(chunk) for chunk in cut(escape(data), places)]) == data
    assert peer.replies() == b""


def test_a_command_line_behind_negotiation_in_one_packet_arrives() -> None:
    """Window size, two offers and a login in one packet: the login counts, the offers are refused once."""
    telnet = TelnetFilter()
    negotiation = bytes.fromhex("FFFA1F005C0022FFF0 FFFB18 FFFD56")
    assert telnet.feed(negotiation + b"login x 1008 bob pw\r\n") == b"login x 1008 bob pw\r\n"
    assert telnet.window == (92, 34)
    assert telnet.replies() == _command(DONT, TTYPE) + _command(WONT, 0x56)
    assert telnet.feed(negotiation) == b""
    assert telnet.replies() == b""


@pytest.mark.parametrize("places", [[], [11], [12], [12, 13]])
def test_a_doubled_255_is_one_data_byte(places: list[int]) -> None:
    """Also when the packet ends between the two."""
    telnet = TelnetFilter()
    data = bytes.fromhex("74656C6C20626F622061FFFF620D0A")
    assert b"".join([telnet.feed(chunk) for chunk in cut(data, places)]) == b"tell bob a\xffb\r\n"


def test_a_lone_255_waits() -> None:
    """What it is shows only with the next byte."""
    telnet = TelnetFilter()
    assert telnet.feed(b"a\xff") == b"a"
    assert telnet.feed(b"\xffb") == b"\xffb"


def test_agreed_options_are_answered_on_change_only() -> None:
    """Suppress-go-ahead at both ends and the peer's window size; a repeat is no change."""
    telnet = TelnetFilter()
    for request, answer in (
        ((DO, SGA), (WILL, SGA)),
        ((WILL, SGA), (DO, SGA)),
        ((WILL, NAWS), (DO, NAWS)),
        ((DONT, SGA), (WONT, SGA)),
        ((WONT, SGA), (DONT, SGA)),
    ):
        telnet.feed(_command(*request) * 3)
        assert telnet.replies() == _command(*answer)
    assert telnet.replies() == b""


@pytest.mark.parametrize("option", [ECHO, NAWS, TTYPE, 42, 85, 86, 255])
def test_other_options_of_ours_are_refused_once(option: int) -> None:
    """A peer that keeps asking, or gives up and asks again, gets no second answer."""
    telnet = TelnetFilter()
    telnet.feed(_command(DO, option) * 2 + _command(DONT, option) + _command(DO, option))
    assert telnet.replies() == _command(WONT, option)


@given(st.lists(st.tuples(st.sampled_from([DO, DONT, WILL, WONT]), st.integers(0, 4)), max_size=20))
@example([(DO, SGA), (DONT, SGA), (DO, SGA)])
def test_two_filters_cannot_talk_for_ever(requests: list[tuple[int, int]]) -> None:
    """Answers fed to another filter, and its answers back, die out soon."""
    ours, theirs = TelnetFilter(), TelnetFilter()
    ours.feed(b"".join([_command(*request) for request in requests]))
    for _ in range(6):
        theirs.feed(ours.replies())
        ours.feed(theirs.replies())
    assert ours.replies() == b""


def test_an_option_switched_off_is_not_agreed_to_again() -> None:
    """A peer that goes back and forth gets a refusal and then nothing."""
    telnet = TelnetFilter()
    telnet.feed(_command(DO, SGA) + _command(DONT, SGA) + _command(DO, SGA) + _command(DONT, SGA))
    telnet.feed(_command(DO, SGA))
    assert telnet.replies() == _command(WILL, SGA) + _command(WONT, SGA) * 2


def test_nothing_is_sent_unasked() -> None:
    """Clients that know no telnet never see a telnet byte."""
    telnet = TelnetFilter()
    telnet.feed(b"login x 1008 bob pw\r\n")
    assert telnet.replies() == b""


def test_echo_round_a_password() -> None:
    """The peer's DO and DONT are answers to us; an answer to them would be a loop."""
    telnet = TelnetFilter()
    assert telnet.echo_off() == b"\xff\xfb\x01"
    assert telnet.feed(_command(DO, ECHO) + b"secret\r\n") == b"secret\r\n"
    assert telnet.echo_on() == b"\xff\xfc\x01"
    telnet.feed(_command(DONT, ECHO))
    assert telnet.replies() == b""


def test_a_peer_may_refuse_our_echo() -> None:
    """A refusal is an answer as well."""
    telnet = TelnetFilter()
    telnet.echo_off()
    telnet.feed(_command(DONT, ECHO))
    assert telnet.replies() == b""


def test_are_you_there_is_answered_once_a_fetch() -> None:
    """A flood of them does not become a larger flood of answers."""
    telnet = TelnetFilter()
    telnet.feed(_command(AYT) * 1000)
    assert telnet.replies() == b"\r\n[yes]\r\n"
    telnet.feed(_command(AYT))
    assert telnet.replies() == b"\r\n[yes]\r\n"


def test_commands_are_counted_wherever_they_stand() -> None:
    """In text and in subnegotiations, ended or not: each costs time."""
    telnet = TelnetFilter()
    telnet.feed(b"who\r\n")
    assert telnet.commands == 0
    telnet.feed(bytes((IAC, AYT)) * 3 + bytes((IAC, IAC, IAC, SB, NAWS)) + bytes((IAC, IAC)) * 4)
    assert telnet.commands == 9


def test_window_size_follows_the_peer() -> None:
    """A changed size replaces the old one; a peer that takes the option back has no size."""
    telnet = TelnetFilter()
    assert telnet.window is None
    telnet.feed(_command(WILL, NAWS) + _command(SB, NAWS, 0, 80, 0, 24, IAC, SE))
    assert telnet.window == (80, 24)
    telnet.feed(_command(SB, NAWS, 1, IAC, IAC, 0, 50, IAC, SE))
    assert telnet.window == (511, 50)
    telnet.feed(_command(WONT, NAWS))
    assert telnet.window is None


@pytest.mark.parametrize("sizes", [(), (0, 80, 0), (0, 80, 0, 24, 0)])
def test_a_window_size_of_a_wrong_length_is_ignored(sizes: tuple[int, ...]) -> None:
    """Two numbers of two bytes each, or nothing."""
    telnet = TelnetFilter()
    telnet.feed(_command(SB, NAWS, *sizes, IAC, SE))
    assert telnet.window is None


def test_an_endless_subnegotiation_is_bounded_and_ends_at_its_end() -> None:
    """Bytes past the limit are dropped; the line behind it works."""
    telnet = TelnetFilter()
    telnet.feed(_command(SB, TTYPE))
    for _ in range(100):
        assert telnet.feed(b"x" * 1000) == b""
    assert len(telnet._sub) == SUBNEGOTIATION_LIMIT
    assert telnet.feed(_command(SE) + b"who\r\n") == b"who\r\n"


def test_a_command_inside_a_subnegotiation_ends_it() -> None:
    """A peer that forgot the end is understood from its next command on."""
    telnet = TelnetFilter()
    assert telnet.feed(_command(SB, NAWS, 0, 80, 0, 24) + _command(DO, SGA) + b"who\r\n") == b"who\r\n"
    assert telnet.replies() == _command(WILL, SGA)
    assert telnet.window is None
