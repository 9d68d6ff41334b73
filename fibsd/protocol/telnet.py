"""Telnet commands taken out of a client's bytes, and the few answers they need.

Old FIBS clients send no telnet command and expect none, so nothing is sent here before the peer spoke,
except the two echo commands around a password prompt, which the caller asks for.

Sources: RFC 854 (commands), 855 (subnegotiation), 857 (ECHO), 858 (SGA), 1073 (NAWS), 1143 (no loops).
"""

from __future__ import annotations

import enum
from typing import Final

import attrs

SE: Final = 240
AYT: Final = 246
SB: Final = 250
WILL: Final = 251
WONT: Final = 252
DO: Final = 253
DONT: Final = 254
IAC: Final = 255

ECHO: Final = 1
SGA: Final = 3
NAWS: Final = 31

SUBNEGOTIATION_LIMIT: Final = 512

_IAC_BYTE: Final = bytes((IAC,))
_AYT_ANSWER: Final = b"\r\n[yes]\r\n"
# Sets that most connections share, as few ever negotiate anything.
_OURS: Final = frozenset({SGA})
_THEIRS: Final = frozenset({SGA, NAWS})


class _State(enum.Enum):
    """What the next byte is."""

    DATA = enum.auto()
    COMMAND = enum.auto()
    OPTION = enum.auto()
    SUB_OPTION = enum.auto()
    SUB_DATA = enum.auto()
    SUB_COMMAND = enum.auto()


@attrs.define(kw_only=True)
class _End:
    """Options at one end of the line: ours (DO, DONT ask for them) or the peer's (WILL, WONT offer them).

    Each option gets three answers at most: yes, no more, and a refusal. So no loop can arise, even with a
    peer that takes our answers for requests of its own.

    Attributes:
        agreeable: What is agreed to; an option that was switched off again no longer belongs to it.
        yes: The command that agrees.
        no: The command that refuses.
        on: Options in force.
        refused: Options refused, which is said once.
    """

    agreeable: frozenset[int]
    yes: int
    no: int
    on: frozenset[int] = frozenset()
    refused: frozenset[int] = frozenset()

    def answer(self, option: int, *, wanted: bool) -> bytes:
        """The answer to a request: only to a change, and a refusal only once."""
        if wanted and option not in self.agreeable:
            if option in self.refused:
                return b""
            self.refused |= {option}
            return bytes((IAC, self.no, option))
        if wanted == (option in self.on):
            return b""
        if wanted:
            self.on |= {option}
        else:
            self.on -= {option}
            self.agreeable -= {option}
        return bytes((IAC, self.yes if wanted else self.no, option))


def _our_end() -> _End:
    return _End(agreeable=_OURS, yes=WILL, no=WONT)


def _peer_end() -> _End:
    return _End(agreeable=_THEIRS, yes=DO, no=DONT)


def escape(data: bytes) -> bytes:
    """Bytes for a telnet peer: each 255 doubled, or it would read as the start of a command."""
    return data.replace(_IAC_BYTE, _IAC_BYTE * 2)


@attrs.define
class TelnetFilter:
    """The telnet state of one connection.

    Attributes:
        window: Columns and rows of the peer's window, None while it has not told them.
        commands: How many the peer has sent, in and out of subnegotiations; each takes time, however short.
    """

    window: tuple[int, int] | None = attrs.field(default=None, init=False)
    commands: int = attrs.field(default=0, init=False)
    _ours: _End = attrs.field(factory=_our_end, init=False)
    _theirs: _End = attrs.field(factory=_peer_end, init=False)
    _state: _State = attrs.field(default=_State.DATA, init=False)
    _verb: int = attrs.field(default=0, init=False)
    _option: int = attrs.field(default=0, init=False)
    _sub: bytes = attrs.field(default=b"", init=False)
    _replies: bytes = attrs.field(default=b"", init=False)
    _echo_asked: bool = attrs.field(default=False, init=False)
    _ayt_answered: bool = attrs.field(default=False, init=False)

    def passes(self, data: bytes) -> bool:
        """Whether there is no part of a command in these bytes: they are all the application's."""
        return self._state is _State.DATA and _IAC_BYTE not in data

    def feed(self, data: bytes) -> bytes:
        """Take bytes as they came; a command may be cut anywhere between two calls.

        Args:
            data: What one read gave.

        Returns:
            The application's bytes among them, with IAC IAC as one 255.
        """
        if self.passes(data):
            return data
        application = bytearray()
        at = 0
        while at < len(data):
            if self._state is _State.DATA or self._state is _State.SUB_DATA:
                found = data.find(_IAC_BYTE, at)
                run = data[at:] if found < 0 else data[at:found]
                at += len(run) + 1
                if self._state is _State.DATA:
                    application += run
                    after_iac = _State.COMMAND
                else:
                    self._collect(run)
                    after_iac = _State.SUB_COMMAND
                if found >= 0:
                    self._state = after_iac
                    self.commands += 1
            else:
                application += self._step(data[at])
                at += 1
        return bytes(application)

    def replies(self) -> bytes:
        """What must be sent to the peer because of what it sent; empty if nothing. It is given once."""
        if not self._replies:
            return b""
        replies, self._replies = self._replies, b""
        self._ayt_answered = False
        return replies

    def echo_off(self) -> bytes:
        """Bytes to send before a password prompt: we claim to echo, and then do not (RFC 857)."""
        self._echo_asked = True
        return bytes((IAC, WILL, ECHO))

    def echo_on(self) -> bytes:
        """Bytes to send after the password: the peer echoes again what is typed."""
        self._echo_asked = True
        return bytes((IAC, WONT, ECHO))

    def _step(self, byte: int) -> bytes:
        """One byte inside a command; gives the application byte it stands for, if any."""
        match self._state:
            case _State.OPTION:
                self._state = _State.DATA
                self._negotiate(byte)
            case _State.SUB_OPTION:
                self._option = byte
                self._sub = b""
                self._state = _State.SUB_DATA
            case _State.SUB_COMMAND if byte == IAC:
                self._collect(_IAC_BYTE)
                self._state = _State.SUB_DATA
            case _State.SUB_COMMAND if byte == SE:
                self._state = _State.DATA
                self._subnegotiated()
            case _:
                # Any other command inside a subnegotiation: the peer forgot to end it, so it is dropped here.
                return self._command(byte)
        return b""

    def _command(self, byte: int) -> bytes:
        self._state = _State.DATA
        if byte == IAC:
            return _IAC_BYTE
        if byte in (WILL, WONT, DO, DONT):
            self._verb = byte
            self._state = _State.OPTION
        elif byte == SB:
            self._state = _State.SUB_OPTION
        elif byte == AYT and not self._ayt_answered:
            # Once for each time the answers are fetched: two bytes in must not become nine out without end.
            self._ayt_answered = True
            self._replies += _AYT_ANSWER
        return b""

    def _negotiate(self, option: int) -> None:
        if self._verb in (DO, DONT):
            if option == ECHO and self._echo_asked:
                return  # The answer to our own echo command; to answer it would be a loop.
            self._replies += self._ours.answer(option, wanted=self._verb == DO)
            return
        self._replies += self._theirs.answer(option, wanted=self._verb == WILL)
        if option == NAWS and self._verb == WONT:
            self.window = None

    def _collect(self, run: bytes) -> None:
        self._sub += run[: SUBNEGOTIATION_LIMIT - len(self._sub)]

    def _subnegotiated(self) -> None:
        if self._option == NAWS and len(self._sub) == 4:
            self.window = (self._sub[0] << 8 | self._sub[1], self._sub[2] << 8 | self._sub[3])
        self._sub = b""
