"""Experiments with many users on-line: memory, idling, logins, news of matches, and everybody coming back at once."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.bench.bench import BYTES_PER_CONNECTION, CROWD, ROOM, Bench
from tests.bench.crowd import Client, crowd
from tests.bench.load import BUSY, LoadFailed
from tests.bench.machine import cpu_s, free_bytes, raise_file_limit, rss_bytes
from tests.bench.play import MANY_PAIRS, think_s
from tests.bench.servers import Server, floor, names

CROWD_LOGIN_S = 600.0
IDLE_S = 10.0
NEWS_S = 0.6
"""News for the room is sent at a tick, a quarter of a second after the first of it: within this it is out."""
IN_A_ROW = 20
"""Logins one after the other; all of them are in before the others are told of the first."""
WRITTEN_S = 10.0
BACK_PAIRS = 20
BACK_THINK_S = 0.2
BACK_S = 120.0
TURN_GUESS_US = 350.0
"""Cost of a turn, to choose how much is played beside a crowd; the load that came of it is noted."""


def many(bench: Bench) -> None:
    """`memory`, `idle`, `crowd-p99` and `crowd-turn`: all passes with one crowd, because it takes long to come in."""
    rows = ("memory", "idle", "crowd-p99", "crowd-turn")
    wanted = bench.scale.crowd
    possible = min(raise_file_limit() - 2 * MANY_PAIRS, free_bytes() // BYTES_PER_CONNECTION)
    if possible < wanted:
        bench.note(f"this machine has room for {possible:,} users", *rows)
    seen = bench.place / "turns.json"
    with bench.fibsd(bench.accounts(), inside=("turns", str(seen))) as server:
        before = rss_bytes(server.pid)
        users = crowd(server.port, min(wanted, possible), "crowd", bench.cores.load, CROWD_LOGIN_S)
        with users as (listeners, count):
            bench.progress(f"{count:,} users are on-line")
            if count < CROWD:
                bench.note(f"with {count:,} users instead of {CROWD:,}", *rows)
            time.sleep(2.0)
            bench.found("memory", (rss_bytes(server.pid) - before) / count / 1024, 7.0)
            for _ in range(bench.scale.passes):
                bench.found("idle", _cpu_during(server, lambda: time.sleep(IDLE_S)) / IDLE_S * 100, 0.5)
                if bench.wants("crowd-p99", "crowd-turn"):
                    _play_beside(bench, server, listeners, seen)
                    time.sleep(2.0)


def _play_beside(bench: Bench, server: Server, listeners: int, seen: Path) -> None:
    rows = ("crowd-p99", "crowd-turn")
    server.tell(signal.SIGUSR1)
    drained, begun = cpu_s(listeners), time.monotonic()
    # In longer matches a turn is two acts: a roll and a move.
    think = think_s(TURN_GUESS_US) / 2
    measured = bench.load(server, *rows, pairs=MANY_PAIRS, length=7, think=think, warmup=1)
    busy = measured.busy + (cpu_s(listeners) - drained) / (time.monotonic() - begun)
    if busy >= BUSY:
        bench.fault(f"load generator and listeners were too busy ({busy:.2f} of their core)", *rows)
    turns = _written(server, seen)
    bench.note(f"the server used {measured.server['cpu_load']:.2f} of its core", "crowd-p99")
    bench.note(
        f"{turns['over_10ms']} of {turns['turns']} turns took longer than 10 ms; "
        f"the longest was busy with (ms): {turns['busy_with']}",
        "crowd-turn",
    )
    bench.found("crowd-p99", measured.latency_ms("move", "p99"), 25.0)
    bench.found("crowd-turn", turns["longest_ms"], 10.0)


def _written(server: Server, seen: Path) -> dict[str, Any]:
    """What the server has seen inside, when it has written it."""
    seen.unlink(missing_ok=True)
    server.tell(signal.SIGUSR2)
    patience = time.monotonic() + WRITTEN_S
    while not seen.exists():
        if time.monotonic() > patience:
            raise LoadFailed("the server did not write what it had seen")
        time.sleep(0.02)
    figures: dict[str, Any] = json.loads(seen.read_text())
    return figures


def _cpu_during(server: Server, work: Callable[[], object]) -> float:
    """CPU seconds of the server while something is done."""
    before = cpu_s(server.pid)
    work()
    return cpu_s(server.pid) - before


# --- one by one ----------------------------------------------------------------------------------------------------


def arrivals(bench: Bench) -> None:
    """`login`, `announce` and `match`: single events in a room of 1,000, with the news that follows them."""
    with (
        bench.fibsd(bench.accounts()) as server,
        crowd(server.port, ROOM, "crowd", bench.cores.load, CROWD_LOGIN_S) as (_, there),
    ):
        if there < ROOM:
            bench.fault(f"only {there} users came in", "login", "announce", "match")
        time.sleep(2 * NEWS_S)
        idle = _cpu_during(server, lambda: time.sleep(1.0))
        if bench.wants("login", "announce"):
            bench.found("login", login_s(bench, server) * 1000, 2.0)
            alone, told = lone_login_s(bench, server)
            bench.note(f"a login after a second of silence costs {alone * 1000:.2f} ms", "login")
            told_us = (told - idle * NEWS_S) * 1e6 / ROOM
        if bench.wants("match"):
            bench.found("match", (match_s(bench, server) - idle * NEWS_S) * 1000, 16.0)
    if bench.wants("login", "announce"):
        bench.found("announce", told_us, told_once_us(bench))


def told_once_us(bench: Bench) -> float:
    """T0's microseconds for each recipient of a line that is sent once in a while to those same listeners.

    A login is news once in more than a second here, and then nothing of it is in the processor's caches any more: that
    costs the floor a good deal, too.
    """
    with (
        floor("t0", bench.place, bench.cores.server) as server,
        crowd(server.port, ROOM, "crowd", bench.cores.load, CROWD_LOGIN_S),
    ):
        client = Client(server.port, "talker")
        told = 0.0
        for _ in range(bench.scale.repeats):
            time.sleep(NEWS_S)

            def shout() -> None:
                client.send("shout hello")
                time.sleep(NEWS_S)

            told += _cpu_during(server, shout)
        client.close()
    return told * 1e6 / bench.scale.repeats / ROOM


def login_s(bench: Bench, server: Server) -> float:
    """CPU seconds of a login, of which some follow one another."""
    newcomers = list(names("new", "i", IN_A_ROW))
    own = 0.0
    for _ in range(bench.scale.repeats):
        before = cpu_s(server.pid)
        clients = [Client(server.port, name) for name in newcomers]
        own += cpu_s(server.pid) - before
        time.sleep(NEWS_S)
        for client in clients:
            client.close()
        time.sleep(NEWS_S)
    return own / bench.scale.repeats / IN_A_ROW


def lone_login_s(bench: Bench, server: Server) -> tuple[float, float]:
    """CPU seconds of a login before and after which nothing happens, and of telling the others.

    The two are apart in time: the others are told at the next tick of news, when the newcomer has long had his list.
    """
    own = told = 0.0
    for name in names("new", "i", bench.scale.repeats):
        before = cpu_s(server.pid)
        newcomer = Client(server.port, name)
        own += cpu_s(server.pid) - before
        told += _cpu_during(server, lambda: time.sleep(NEWS_S))
        newcomer.close()
        time.sleep(NEWS_S)
    return own / bench.scale.repeats, told / bench.scale.repeats


def match_s(bench: Bench, server: Server) -> float:
    """CPU seconds of a match's start or end, with all that is told of it."""
    first, second = (Client(server.port, name) for name in names("load", "a", 2))
    inviter, invited = names("load", "a", 2)
    for client in (first, second):
        client.send("toggle ready")
        client.send("set boardstyle 3")
    time.sleep(2 * NEWS_S)
    total = 0.0
    for _ in range(bench.scale.repeats):
        first.drain()
        second.drain()
        first.send(f"invite {invited} 1")
        second.until(b"to accept")

        def begin() -> None:
            second.send(f"join {inviter}")
            first.until(b"board:")
            time.sleep(NEWS_S)

        def end() -> None:
            first.send("resign n")
            second.until(b"wants to resign")
            second.send("accept")
            first.until(b"point match")
            time.sleep(NEWS_S)

        total += _cpu_during(server, begin) + _cpu_during(server, end)
    first.close()
    second.close()
    return total / bench.scale.repeats / 2


# --- after a restart -----------------------------------------------------------------------------------------------


def reconnect(bench: Bench) -> None:
    """`reconnect` and `reconnect-move`: everybody logs in at once, with real hashes, while some play; on both cores."""
    rows = ("reconnect", "reconnect-move")
    both = {bench.cores.server, bench.cores.load}
    with bench.fibsd(bench.dear_accounts(), cores=both, auth={}) as server:
        seconds = bench.scale.reconnect_s
        playing = bench.start(server, pairs=BACK_PAIRS, think=BACK_THINK_S, seconds=seconds, login_timeout=60)
        coming = None
        try:
            # The players log in first; then they play, and the others come.
            time.sleep(3.0)
            given = {"login_window": ROOM, "login_timeout": BACK_S, "seconds": 0.1}
            coming = bench.start(server, pairs=0, idle=ROOM, prefix="back", **given)
            back = bench.checked(coming.result(), *rows)
            played = bench.checked(playing.result(), *rows)
        finally:
            playing.stop()
            if coming is not None:
                coming.stop()
    if back.figures["connections"] != ROOM:
        bench.fault(f"only {back.figures['connections']} of {ROOM} came in", *rows)
    bench.found("reconnect", back.figures["login_seconds"], 60.0)
    bench.found("reconnect-move", played.latency_ms("move", "max"), 250.0)
