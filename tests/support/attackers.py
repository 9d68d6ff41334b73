"""Programs that mean harm, in a process of their own so that they cannot slow down the players of a test.

`python -m tests.support.attackers NAME PORT` takes lines: `on` begins an attack, `off` ends it.
It says `ready` when those who attack are logged in, `done` if an attack has come to an end by itself,
and `off` when all of its connections are closed.
"""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import attrs
import trio

from tests.support.peers import GONE, PASSWORD, Peer, Site, attacker, each, pace
from tests.support.process import ROOT, environment

SEED = 1
NICENESS = 10
"""Players on the same core come first: they stand for people on other machines."""
HELLO = bytes.fromhex("16030100c8010000c40303") + bytes(range(60))
"""The beginning of what a TLS client says first."""


# --- connections that do nothing, or half of something -----------------------------------------------------------


async def silent(site: Site) -> None:
    """Connect and say nothing."""
    async for number in pace(100):
        if number < 400:
            await site.connect()


async def half_open(site: Site) -> None:
    """Begin a line and never end it: say no more, drip, hang up by half, or be gone."""
    dripping: list[Peer] = []
    async for number in pace(100):
        if number < 400:
            peer = await site.connect()
            await peer.send(b"login half 10")
            if number % 4 == 0:
                peer.reset()
            elif number % 4 == 1:
                with suppress(*GONE):
                    await peer.stream.send_eof()
            elif number % 4 == 2:
                dripping.append(peer)
        for peer in dripping[number % 20 :: 20]:
            await peer.send(b"x")


async def connections(site: Site) -> None:
    """Come fifty at a time and go at once; and stay, more from one address than may."""
    for _ in range(220):
        await site.connect(0)
    async for _ in pace(6):
        visitors = [await site.connect() for _ in range(50)]
        for visitor in visitors[::2]:
            await visitor.close()
        for visitor in visitors[1::2]:
            visitor.reset()


async def slow_readers(site: Site) -> None:
    """Watch a match, ask for much, read nothing."""

    async def act(site: Site, peer: Peer) -> None:
        await peer.close()
        peer = await site.log_in(peer.account or 0, receive_buffer=4096)
        await peer.send(b"watch ann_a\r\n" + b"help beginner\r\n" * 350)
        async for _ in pace(4):
            if not await peer.send(b"help beginner\r\n" * 20):
                return

    await each(site, act)


# --- too much -----------------------------------------------------------------------------------------------------


async def flood(site: Site) -> None:
    """Give commands without measure, and read the answers."""

    async def act(site: Site, peer: Peer) -> None:
        peer.swallow()
        async for _ in pace(50):
            if not await peer.send(b"who\r\nwhois ann_a\r\nboard\r\nratings\r\nshow games\r\n" * 10):
                return

    await each(site, act)


async def registrations(site: Site) -> None:
    """Register accounts, eight at a time, half of them from one address."""

    async def register(source: int | None) -> None:
        while True:
            peer = await site.connect(source)
            name = "new_" + "".join(site.rng.choices("abcdefghijklmnopqrstuvwxyz", k=12))
            for line, wanted in (
                ("", b"login: "),
                ("guest", b"> "),
                (f"name {name}", b"password: "),
                ("pass-word", b"retype your password: "),
                ("pass-word", b"> "),
            ):
                if line:
                    await peer.send(line.encode() + b"\r\n")
                await peer.until(wanted)
            await peer.close()

    async with trio.open_nursery() as nursery:
        for number in range(8):
            nursery.start_soon(register, 0 if number % 2 else None)


async def failed_logins(site: Site) -> None:
    """Guess passwords of names that exist and of some that do not, from ten addresses at a time."""

    async def guess(first: int) -> None:
        for source in itertools.count(first):
            peer = await site.connect(source)
            for number in range(4):
                name = attacker(site.rng.randrange(100)) if number % 2 else "nobody"
                if not await peer.send(f"login evil 1008 {name} guess\r\n".encode()):
                    break
                # The answer may come after a long delay: go elsewhere meanwhile.
                with trio.move_on_after(0.5):
                    await peer.until(b"login: ")

    async with trio.open_nursery() as nursery:
        for worker in range(10):
            nursery.start_soon(guess, 20 * worker)


async def logins(site: Site) -> None:
    """Log in a hundred users at the same moment, with the right passwords."""
    peers = [await site.connect(number) for number in range(100)]

    async def log_in(number: int, peer: Peer) -> None:
        await peer.send(f"login evil 1008 {attacker(number)} {PASSWORD}\r\n".encode())
        await peer.until(b"\r\n6\r\n")
        peer.swallow()

    async with trio.open_nursery() as nursery:
        for number, peer in enumerate(peers):
            nursery.start_soon(log_in, number, peer)


async def talk(site: Site) -> None:
    """Shout, invite, whisper and leave messages as fast as commands are taken."""

    async def act(site: Site, peer: Peer) -> None:
        peer.swallow()
        text = b"x" * 500
        lines = (b"shout " + text, b"invite ann_a 5", b"tell bob_a " + text, b"message bob_b " + text, b"watch ann_b")
        async for _ in pace(18):
            if not await peer.send(b"".join(line + b"\r\n" for line in lines)):
                return

    await each(site, act)


# --- bytes ----------------------------------------------------------------------------------------------------


async def throw(site: Site, per_s: float, bits: Callable[[], bytes]) -> None:
    """Throw bytes at the server, logged in and not; who is cut off comes again."""

    async def throw_on(peer: Peer) -> None:
        peer.swallow()
        async for _ in pace(per_s):
            if not await peer.send(bits()):
                return

    async def strange() -> None:
        while True:
            await throw_on(await site.connect())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(each, site, lambda _, peer: throw_on(peer))
        for _ in site.peers:
            nursery.start_soon(strange)


async def long_lines(site: Site) -> None:
    """Lines of 100 kB."""
    await throw(site, 20, lambda: b"x" * 100_000 + b"\r\n")


async def endless_lines(site: Site) -> None:
    """A line that never ends."""
    await throw(site, 100, lambda: b"x" * 30_000)


async def controls(site: Site) -> None:
    """Every byte below a blank and above a tilde, in words and alone."""
    every = bytes([*range(0x20), *range(0x7F, 0xA0)])

    def bits() -> bytes:
        shuffled = bytes(site.rng.sample(every, len(every)))
        return b"".join((shuffled, b"tell ann_a ", shuffled, b"\r\n", b"\x08" * 2000, b"x\x7f" * 500, b"\r\r\n\0\n"))

    await throw(site, 20, bits)


async def broken_utf8(site: Site) -> None:
    """Characters cut in two, overlong ones, surrogates, and bytes that are none."""
    bad = (b"\xe2\x82", b"\xac", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\xff\xff", b"\xf0\x9f\x8e")

    def bits() -> bytes:
        return b"tell ann_a " + b"".join(site.rng.choices(bad, k=300)) + b"\r\n" + site.rng.choice(bad)

    await throw(site, 20, bits)


async def telnet(site: Site) -> None:
    """Storms of telnet commands: questions, options, and subnegotiations without an end."""
    options = b"".join(bytes((255, verb, option)) for verb in range(251, 255) for option in range(256))
    storms = (
        b"\xff\xf6" * 8000,
        options * 5,
        b"\xff\xfa\x1f" + b"\xff\xff" * 8000,
        b"\xff\xfa" * 8000,
        b"\xff" * 16000,
    )
    await throw(site, 20, lambda: site.rng.choice(storms))


async def protocols(site: Site) -> None:
    """HTTP and TLS on the port for neither."""
    async for number in pace(100):
        peer = await site.connect()
        await peer.send(HELLO if number % 2 else b"GET / HTTP/1.1\r\nHost: fibs\r\n\r\n")
        peer.swallow()


ATTACKS: Mapping[str, tuple[Callable[[Site], Awaitable[None]], int]] = {
    "slow readers": (slow_readers, 6),
    "silent connections": (silent, 0),
    "half-open connections": (half_open, 0),
    "flood of one": (flood, 1),
    "flood of several": (flood, 6),
    "connections": (connections, 0),
    "registrations": (registrations, 0),
    "failed logins": (failed_logins, 0),
    "logins": (logins, 0),
    "long lines": (long_lines, 2),
    "endless lines": (endless_lines, 2),
    "control bytes": (controls, 2),
    "broken UTF-8": (broken_utf8, 2),
    "telnet storms": (telnet, 2),
    "other protocols": (protocols, 0),
    "talk": (talk, 6),
}
"""What each attack does, and how many users it has logged in before it begins."""


# --- the process --------------------------------------------------------------------------------------------------


async def _strike(name: str, address: tuple[str, int], rng: random.Random) -> None:
    attack, users = ATTACKS[name]
    async with trio.open_nursery() as tasks:
        site = Site(address, rng, tasks)
        try:
            site.peers = [await site.log_in(number) for number in range(users)]
            print("ready", flush=True)
            await attack(site)
            print("done", flush=True)
            await trio.sleep_forever()
        finally:
            site.close()


async def _main(name: str, port: int) -> None:
    rng = random.Random(SEED)
    commands = trio.lowlevel.FdStream(os.dup(sys.stdin.fileno()))
    async with trio.open_nursery() as nursery:
        scope = trio.CancelScope()

        async def strike() -> None:
            with scope:
                await _strike(name, ("127.0.0.1", port), rng)
            print("off", flush=True)

        async for data in commands:
            for word in bytes(data).split():
                if word == b"on":
                    scope = trio.CancelScope()
                    nursery.start_soon(strike)
                else:
                    scope.cancel()
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def attacking(name: str, port: int, core: int | None, log: Path) -> AsyncIterator[Attackers]:
    """Run the process, on a core of its choice; what it complains of is appended to the log."""
    with log.open("a") as errors:
        process = await trio.lowlevel.open_process(
            [sys.executable, "-m", "tests.support.attackers", name, str(port)],
            cwd=ROOT,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
    os.setpriority(os.PRIO_PROCESS, process.pid, NICENESS)
    if core is not None:
        os.sched_setaffinity(process.pid, {core})
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield Attackers(process.stdin, process.stdout)
    finally:
        process.kill()
        with trio.CancelScope(shield=True):
            await process.wait()
            await process.stdin.aclose()
            await process.stdout.aclose()


@attrs.define(eq=False)
class Attackers:
    """The process, from outside."""

    _commands: trio.abc.SendStream
    _answers: trio.abc.ReceiveStream
    _heard: bytes = b""

    async def begin(self) -> None:
        """Let the attack begin."""
        await self._commands.send_all(b"on\n")
        await self.says(b"ready")

    async def end(self) -> None:
        """Let it end; all its connections are closed then."""
        await self._commands.send_all(b"off\n")
        await self.says(b"off")

    async def says(self, word: bytes) -> None:
        """Wait for a word."""
        with trio.fail_after(30):
            while word not in self._heard.split(b"\n")[:-1]:
                data = bytes(await self._answers.receive_some())
                assert data, "the attackers are gone"
                self._heard += data
        self._heard = self._heard.partition(word + b"\n")[2]


if __name__ == "__main__":
    trio.run(_main, sys.argv[1], int(sys.argv[2]))
