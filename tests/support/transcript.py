r"""Golden transcripts: what clients type and every byte that each of them is sent.

A transcript is a text file in UTF-8. Empty lines and lines that begin with `#` say nothing.

    == 6.1 An invitation                     a heading: which section of the protocol reference it shows
    user: alice rating=1700 exp=400 on=moves off=autoboard,notify redoubles=3 boardstyle=3 rights=admin extras=no
    online: alice clip, bob telnet           log users in; what they are sent meanwhile is not looked at
    dice: 6-3 1-1                            rolls to come; an opening roll is O's die and X's die
    coin: x                                  the inviter of the next match has X (o is what comes without it)
    position: alice to roll 0:2:...:0        the 26 numbers of a board line; also `alice has rolled 6-3 0:2:...`,
                                             and at the end `cube=2 owner=bob score=3-1`
    alice> roll                              a line typed, ended by CR LF
    alice>| ro\x00\n                         bytes typed, as they are
    alice>> roll                             a line typed; what anybody is sent for it is not looked at
    alice< You roll 6 and 3.                 a line that alice is sent
    alice<| >\x20                            bytes after the last line end
    alice: connects                          a new connection of this name (`connects quietly`: no banner looked at)
    alice: hangs up                          closes it (`sends no more`: only its own direction)
    alice: is closed                         the server has closed it
    later: 90                                seconds that pass
    clocks: 14.25                            seconds in which the players' clocks run; 0.375 pass at any other step
    server: is told to stop                  by a signal
    server: points=yes fee_percent=10        before the first step: what is configured; also `adjudicate_after=14`
    operator: close alice Enough.            an act of administration at the machine itself

Everything that happens after one line of input is one step. What is listed after it, in the order of each client,
must be all that is sent. `\xNN`, `\t` and `\\` stand for bytes, so that no line of the file ends in a blank;
`$version` for the version of the program.
"""

from __future__ import annotations

import re
import signal
from collections import defaultdict
from difflib import unified_diff
from pathlib import Path

import attrs

from fibsd import __version__
from fibsd.config import Config, Play, Points
from fibsd.config import Server as ServerConfig
from fibsd.world.account import DEFAULT_TOGGLES, TOGGLES_BY_NAME, UNLIMITED_REDOUBLES, Settings
from tests.support.client import RAISED, STEP_S, Client, Server, serving

FOLDER = Path(__file__).parent.parent / "transcripts"

_SPOKEN = re.compile(r"(\w+)(<\||<|>>|>\||>|:) ?(.*)")
_ESCAPE = re.compile(rb"\\(x[0-9a-f]{2}|t|r|n|\\)")
_SHORT_ESCAPES = {b"t": b"\t", b"r": b"\r", b"n": b"\n", b"\\": b"\\"}
_POSITION = re.compile(r"(\w+) (?:to roll|has rolled (\d-\d)) ([-\d:]+)((?: \w+=\S+)*)")


@attrs.frozen
class Entry:
    """One line of a transcript."""

    number: int
    who: str
    mark: str
    text: str


@attrs.define
class Step:
    """An action and what must be sent after it."""

    action: Entry
    heading: str
    expected: list[Entry] = attrs.Factory(list)


_YES_OR_NO = {"yes": True, "no": False}


class Mismatch(AssertionError):
    """The server sent something else than the transcript says."""


def unescape(text: str) -> bytes:
    """The bytes that a text of a transcript stands for."""

    def byte(match: re.Match[bytes]) -> bytes:
        code = match[1]
        return bytes.fromhex(code[1:].decode()) if len(code) == 3 else _SHORT_ESCAPES[code]

    return _ESCAPE.sub(byte, text.replace("$version", __version__).encode())


def escape(data: bytes) -> str:
    """A text for bytes, as it would stand in a transcript."""
    out = "".join(chr(byte) if 32 <= byte < 127 and byte != 92 else _escaped(byte) for byte in data)
    return out[:-1] + r"\x20" if out.endswith(" ") else out


def _escaped(byte: int) -> str:
    return {9: r"\t", 92: r"\\"}.get(byte, rf"\x{byte:02x}")


def read(path: Path) -> tuple[list[Entry], list[Step]]:
    """The entries before the first step, and the steps."""
    setup: list[Entry] = []
    steps: list[Step] = []
    heading = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("== "):
            heading = line[3:]
            continue
        if not line or line.startswith("#"):
            continue
        spoken = _SPOKEN.fullmatch(line)
        if spoken is None or line != line.rstrip():
            raise ValueError(f"{path.name}:{number}: not a line of a transcript: {line!r}")
        entry = Entry(number, spoken[1], spoken[2], spoken[3])
        if entry.mark in ("<", "<|") or (entry.mark == ":" and entry.text == "is closed"):
            steps[-1].expected.append(entry)
        elif entry.mark == ":" and entry.who in ("user", "motd", "server") and not steps:
            setup.append(entry)
        else:
            steps.append(Step(entry, heading))
    return setup, steps


def transcripts() -> list[Path]:
    """All transcripts."""
    return sorted(FOLDER.glob("*.txt"))


async def replay(path: Path, tmp_path: Path) -> None:
    """Play a transcript against a server.

    Raises:
        Mismatch: Something else was sent.
    """
    setup, steps = read(path)
    async with serving(config=_config(setup, tmp_path)) as server:
        for entry in setup:
            if entry.who == "user":
                await _make_user(server, entry.text)
        clients: dict[str, Client] = {}
        for step in steps:
            looked_at = await _act(server, clients, step.action)
            await server.settle()
            if looked_at:
                _compare(path, step, clients)
            else:
                for name, client in list(clients.items()):
                    client.take()
                    if client.closed:
                        del clients[name]
        if server.chance.dice or server.chance.coins:
            raise Mismatch(f"{path.name}: dice or coins are left over: {server.chance.dice} {server.chance.coins}")


def _config(setup: list[Entry], tmp_path: Path) -> Config:
    motd = [entry.text for entry in setup if entry.who == "motd"]
    options = dict(word.split("=") for entry in setup if entry.who == "server" for word in entry.text.split())
    path = tmp_path / "motd.txt"
    if motd:
        path.write_text("\n".join(motd), encoding="utf-8")
    play = Play(adjudicate_after=int(options.pop("adjudicate_after", "0")))
    points = Points(enabled=_YES_OR_NO[options.pop("points", "no")], fee_percent=int(options.pop("fee_percent", "0")))
    server = ServerConfig(
        operator="Olga the operator", email="olga@host.example", motd=str(path) if motd else "", **options
    )
    return Config(limits=RAISED, server=server, play=play, points=points)


_YES_OR_NO = {"yes": True, "no": False, "": None}


async def _make_user(server: Server, text: str) -> None:
    name, *words = text.split()
    options = dict(word.split("=", 1) for word in words)
    toggles = set(DEFAULT_TOGGLES)
    toggles |= {TOGGLES_BY_NAME[word] for word in options.pop("on", "").split(",") if word}
    toggles -= {TOGGLES_BY_NAME[word] for word in options.pop("off", "").split(",") if word}
    redoubles = options.pop("redoubles", "0")
    style = options.pop("boardstyle", None)
    settings = Settings(
        toggles=frozenset(toggles),
        boardstyle=None if style is None else int(style),
        redoubles=UNLIMITED_REDOUBLES if redoubles == "unlimited" else int(redoubles),
        timezone=options.pop("timezone", "UTC"),
        email=options.pop("email", None),
        extras=_YES_OR_NO[options.pop("extras", "")],
    )
    rights = frozenset(word for word in options.pop("rights", "").split(",") if word)
    rating, experience = float(options.pop("rating", "1500")), int(options.pop("exp", "0"))
    assert not options, f"unknown words for a user: {options}"
    await server.user(name, rating=rating, experience=experience, settings=settings, rights=rights)


async def _act(server: Server, clients: dict[str, Client], action: Entry) -> bool:
    """Do what a line says; whether what is sent for it is compared."""
    who, text = action.who, action.text
    if action.mark != ":":
        data = unescape(text) + (b"" if action.mark == ">|" else b"\r\n")
        await clients[who].send_bytes(data)
        return action.mark != ">>"
    if who == "user":
        await _make_user(server, text)
    elif who == "online":
        for part in text.split(","):
            name, kind = part.split()
            clients[name] = await server.login(name, kind)
        return False
    elif who == "dice":
        server.chance.script(text)
    elif who == "coin":
        server.chance.coins.append(text == "x")
    elif who == "later":
        await server.later(float(text))
    elif who == "clocks":
        await server.passes(float(text) - STEP_S)
    elif who == "position":
        _put(server, text)
    elif who == "operator":
        server.nursery.start_soon(server.engine.administer, text)
    elif who == "server":
        signal.raise_signal(signal.SIGTERM)
    elif text in ("connects", "connects quietly"):
        clients[who] = server.connect()
        return text == "connects"
    elif text == "hangs up":
        await clients[who].hang_up()
    elif text == "sends no more":
        await clients[who].send_eof()
    else:
        raise ValueError(f"line {action.number}: unknown action {text!r}")
    return True


def _put(server: Server, text: str) -> None:
    match = _POSITION.fullmatch(text)
    if match is None:
        raise ValueError(f"no position: {text!r}")
    name, dice, points, rest = match.groups()
    options = dict(word.split("=") for word in rest.split())
    score = tuple(map(int, options["score"].split("-"))) if "score" in options else None
    cube, owner = int(options.get("cube", "1")), options.get("owner")
    server.put(name, points, dice=dice, cube=cube, owner=owner, score=score)


def _compare(path: Path, step: Step, clients: dict[str, Client]) -> None:
    wanted: dict[str, bytes] = defaultdict(bytes)
    shown: dict[str, list[str]] = defaultdict(list)
    closed = set()
    for entry in step.expected:
        if entry.who not in clients:
            raise ValueError(f"{path.name}:{entry.number}: nobody is called {entry.who}")
        if entry.mark == ":":
            closed.add(entry.who)
            continue
        wanted[entry.who] += unescape(entry.text) + (b"\r\n" if entry.mark == "<" else b"")
        shown[entry.who].append(f"{entry.who}{entry.mark} {entry.text}".rstrip())
    faults: list[str] = []
    for who, client in list(clients.items()):
        got = client.take()
        if got != wanted[who]:
            faults += list(unified_diff(shown[who], _as_shown(who, got), "transcript", "server", lineterm="", n=3))
        if client.closed != (who in closed) and step.action.text != "hangs up":
            faults.append(f"{who} was {'' if client.closed else 'not '}closed by the server")
        if client.closed:
            del clients[who]
    if faults:
        typed = f"{step.action.who}{step.action.mark} {step.action.text}"
        where = f"{path.name}:{step.action.number} ({step.heading})"
        raise Mismatch("\n".join([where, typed, *faults]))


def _as_shown(who: str, data: bytes) -> list[str]:
    *lines, rest = data.split(b"\r\n")
    shown = [f"{who}< {escape(line)}".rstrip() for line in lines]
    return [*shown, f"{who}<| {escape(rest)}"] if rest else shown
