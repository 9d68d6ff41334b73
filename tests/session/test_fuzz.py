"""Whatever is sent, no session fails, and the server goes on answering.

`FIBSD_SOAK` sets how many lines the long test types.
"""

import os
import random
import re
from collections.abc import Sequence

import attrs
import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from fibsd.backgammon.board import Board
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.movegen import legal_plays
from fibsd.backgammon.side import Side
from fibsd.commands.registry import COMMANDS, SHORT_FORMS
from fibsd.protocol.moves import format_play
from fibsd.world.account import Toggle
from tests.support.chunks import chunked
from tests.support.client import Client, run, serving
from tests.support.ring import Client as Wire
from tests.support.ring import Closed, Ring, config, running
from tests.support.strategies import examples

SOAK = int(os.environ.get("FIBSD_SOAK", "200000"))
NAMES = ("ann", "bob", "cat", "dan", "Eve", "fay_")
PROBE = b"\xf0\xff\xf0\r\n"
"""Ends whatever telnet command was left open, and the line."""
PROMPT_S = 1.0
"""How soon a command must be answered when the storm is over."""

TELNET = tuple(
    bytes.fromhex(text)
    for text in (
        "ff",
        "ffff",
        "fffd01",
        "fffb1f",
        "fffa1f00500018fff0",
        "fffa18",
        "fff0",
        "fff6",
        "fff9",
        "fffe01",
        "fffc",
    )
)
ENDS = (b"\r\n", b"\n", b"\r\0", b"\r", b"\0", b"\n\r")
SIGNS = ("\x00", "\x07", "\x08", "\x1b[2J", "\x7f", "\x85", "\x9b", "\u2028", "\u202e", "\ufeff", "é", "😀", "\ud800")
PLACES = ("bar", "off", "b", "o", "home", "0", "1", "6", "12", "13", "24", "25", "99", "-1", "1-2", "٣")
WORDS = (
    *NAMES,
    *("nobody", "a", "A", "fibsd", "guest", "", "-", ":", "!!", "%s", "{x}", "'", '"', "\\", "unlimited", "none"),
    *("0", "1", "3", "5", "9", "10", "99", "100", "-3", "1e3", "0x1", "²", "9" * 30),
    *("n", "g", "b", "ready", "away", "playing", "count", "from", "to", "saved", "savedcount", "games", "watchers"),
    *(
        "boardstyle",
        "linelength",
        "pagelength",
        "redoubles",
        "sortwho",
        "timezone",
        "charset",
        "utf8",
        "ascii",
        "login",
    ),
    *(
        "Europe/Amsterdam",
        "../../etc/passwd",
        "rrating",
        "extras",
        "playout",
        "bot",
        "bots",
        "humans",
        "legal",
        "options",
        "yes",
        "no",
        "max",
        "ann@example.org",
        "*",
        "6-3",
    ),
    *(toggle.value for toggle in Toggle),
)
VERBS = (*COMMANDS, *SHORT_FORMS)
RARE = ("bye", "adios", "wave", "erase", "leave", "void", "blind", "exit", "quit")
"""What ends a session or a match, or keeps one from beginning: typed seldom, or nothing else would happen."""
COMMON = tuple(verb for verb in VERBS if verb not in RARE and verb not in ("ciao", "end", "logout", "tschoe"))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


verbs = st.sampled_from(VERBS)
words = st.sampled_from(WORDS) | st.sampled_from(PLACES) | st.text(max_size=5)
lines = st.builds(lambda verb, rest: " ".join((verb, *rest)), verbs | words, st.lists(words, max_size=5))
pieces = st.one_of(
    st.builds(lambda line, end: _encoded(line) + end, lines, st.sampled_from(ENDS)),
    st.sampled_from(TELNET),
    st.sampled_from(SIGNS).map(_encoded),
    st.sampled_from((b"login t 1008 ann secret\r\n", b"ann\r\nsecret\r\n", b"guest\r\nname zed\r\n", b"x" * 4097)),
    st.binary(max_size=20),
)


async def _feed(client: Client, chunks: Sequence[bytes]) -> None:
    for chunk in chunks:
        if chunk and not client.closed:
            try:
                await client.send_bytes(chunk)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return


@given(chunked(pieces))
@examples(150)
def test_bytes_before_the_login(chunks: list[bytes]) -> None:
    """The dialog answers or hangs up, and somebody else can log in."""

    async def attempt() -> None:
        async with serving() as server:
            await server.user("ann")
            client = server.connect()
            await _feed(client, chunks)
            await server.settle()
            client.take()
            # One of these lines is answered in any state.
            await _feed(client, [PROBE + b"\r\nversion\r\n"])
            await server.settle()
            assert client.closed or client.take()
            await _still_answers(server)

    run(attempt)


@given(chunked(pieces), st.sampled_from(("clip", "connect", "telnet")))
@examples(200)
def test_bytes_after_the_login(chunks: list[bytes], kind: str) -> None:
    """The session answers or has ended; the opponent and somebody else notice nothing of it."""

    async def attempt() -> None:
        async with serving() as server:
            ann, bob = await server.online("ann", "bob", kind=kind)
            await bob.send("toggle ready")
            await server.settle()
            await ann.send("invite bob 3")
            await server.settle()
            await bob.send("join ann")
            await server.settle()
            await _feed(ann, chunks)
            await server.settle()
            ann.take()
            bob.take()
            await _feed(ann, [PROBE + b"version\r\n" * 3])
            await server.settle()
            assert ann.closed or b"** Version " in ann.take()
            await bob.send("version")
            await server.settle()
            assert b"** Version " in bob.take()
            await _still_answers(server)

    run(attempt)


async def _still_answers(server) -> None:
    await server.user("zoe")
    zoe = await server.login("zoe")
    assert any(line.startswith("** Version ") for line in await server.ask(zoe, "version"))


# --- the long test ---------------------------------------------------------------------------------------------


@attrs.define(eq=False)
class Typist:
    """A user who types at random, and logs in again when he was hung up on."""

    ring: Ring
    name: str
    rng: random.Random
    typed: int = 0
    logins: int = 0
    board: list[str] | None = None

    async def type(self, count: int) -> None:
        """Type so many lines in small packets, and read what comes."""
        while self.typed < count:
            client = await self._login()
            try:
                while self.typed < count:
                    packet = [self._line() for _ in range(self.rng.randint(1, 40))]
                    self.typed += len(packet)
                    await client.send_bytes(b"".join(packet) + b"version\r\n" * 3)
                    text = await client.until(r"\*\* Version ", timeout_s=30)
                    for found in re.finditer(r"board:You:.*\r\n", text):
                        self.board = found[0].rstrip().split(":")
            except (Closed, trio.BrokenResourceError):
                continue
            finally:
                await client.stream.aclose()

    async def _login(self) -> Wire:
        self.logins += 1
        if await self.ring.app.store.account(self.name) is None:
            await self.ring.account(self.name)
        client = await self.ring.connect()
        kind = self.rng.choice(("login t 1008 {} secret", "connect {} secret", "{}\r\nsecret"))
        await client.send(kind.format(self.name), "version")
        await client.until(r"\*\* Version ")
        return client

    def _line(self) -> bytes:
        rng = self.rng
        kind = rng.random()
        if kind < 0.40:
            return f"{self._game_line()}\r\n".encode()
        if kind < 0.43:
            return rng.choice(TELNET) + PROBE
        if kind < 0.46:
            return rng.randbytes(rng.randint(0, 60)).replace(b"\xff", b"") + b"\r\n"
        verb = rng.choice(COMMON if rng.random() < 0.995 else RARE)
        rest = [rng.choice(rng.choice((WORDS, PLACES, NAMES, SIGNS))) for _ in range(rng.randint(0, 4))]
        if verb == "password":
            rest = ["wrong:secret:secret"]
        line = " ".join((verb, *rest)) + ("x" * 5000 if rng.random() < 0.001 else "")
        return _encoded(line).replace(b"\n", b"") + rng.choice(ENDS[:3])

    def _game_line(self) -> str:
        """Something that may bring a game forward."""
        fields = self.board
        if fields is not None and fields[32] == fields[41] and fields[33] != "0" and self.rng.random() < 0.7:
            side = Side(int(fields[41]))
            view = Board(points=tuple(map(int, fields[6:32]))).seen_by(side)
            plays = legal_plays(view, Dice(int(fields[33]), int(fields[34])))
            if plays:
                return f"move {format_play(self.rng.choice(plays), side)}"
        if self.rng.random() < 0.5:
            verb = self.rng.choice(("invite", "join", "join", "watch"))
            return f"{verb} {self.rng.choice(NAMES)} {self.rng.choice(('1', '3', '5', 'unlimited'))}"
        return self.rng.choice(
            ("roll", "roll", "double", "accept", "reject", "resign n", "join", "off", "toggle ready")
        )


@pytest.mark.slow
@pytest.mark.timeout(120 + SOAK / 300)
async def test_soak() -> None:
    """Six users type at random: no fault in the log, no task or session left, and an answer at once at the end."""
    async with running(config(login_attempts=1000)) as ring:
        # Seeds only have to stay the same.
        typists = [Typist(ring, name, random.Random(seed)) for seed, name in enumerate(NAMES)]
        witness = await ring.user("witness")
        await witness.send("toggle silent notify report")
        async with trio.open_nursery() as nursery:
            for typist in typists:
                nursery.start_soon(typist.type, SOAK // len(typists))
        await ring.sessions_become(1)
        assert ring.on_line() == {"witness"}
        assert not ring.app.engine.world.tables
        with trio.fail_after(PROMPT_S):
            await witness.answers()
        assert sum(typist.typed for typist in typists) >= SOAK - len(typists)
