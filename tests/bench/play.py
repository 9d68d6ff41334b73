"""Experiments with matches and commands: what a line, a turn, a watcher and a shout cost, and how long a move waits."""

from __future__ import annotations

from tests.bench.bench import ROOM, Bench
from tests.bench.rows import PEER_TURNS_PER_S, ROWS
from tests.bench.servers import Server, floor

TALKERS = 64
OFFERED_PER_S = 40_000
"""More commands than the server can answer: each talker then has one under way nearly always, never two."""
PAIRS = 20
MANY_PAIRS = 100
HALF = 0.5
STORED_GUESS_US = 250.0
"""Cost of a line for the floor that stores, where it is tried first."""
TRIES = 4
AS_BUSY = 0.05
"""How far the floor's share of its core may be from the server's, as a part of it."""
FAN_OUT = {100: 200, 1_000: 25}
"""Lines to everybody in a second, by the number of listeners: about a third of a core."""


# --- floors --------------------------------------------------------------------------------------------------------


def answering_us(bench: Bench) -> float:
    """T1's microseconds for a line, measured once in each pass."""
    if ("T1", TALKERS) not in bench.floors:
        with floor("t1", bench.place, bench.cores.server) as server:
            given = {"pairs": 0, "talkers": TALKERS, "cmd": "time", "cmd_rate": OFFERED_PER_S}
            measured = bench.load(server, *_of("T1"), **given)
            bench.floors["T1", TALKERS] = measured.server["cpu_us_per_command"]
        bench.progress(f"floor T1: {bench.floors['T1', TALKERS]:.1f} us a line")
    return bench.floors["T1", TALKERS]


def spreading_us(bench: Bench, listeners: int) -> float:
    """T0's microseconds for each recipient of a line, measured once in each pass."""
    if ("T0", listeners) not in bench.floors:
        with floor("t0", bench.place, bench.cores.server) as server:
            bench.floors["T0", listeners] = _spread(bench, server, listeners, *_of("T0"))
        bench.progress(f"floor T0: {bench.floors['T0', listeners]:.1f} us for each of {listeners}")
    return bench.floors["T0", listeners]


def _of(base: str) -> tuple[str, ...]:
    """Rows that are spoiled with a floor."""
    return tuple(name for name, row in ROWS.items() if row.base == base)


def _spread(bench: Bench, server: Server, listeners: int, *rows: str, **more: object) -> float:
    """Shout, and give the microseconds for each line that somebody received."""
    given = {"pairs": 0, "idle": listeners, "shouts": FAN_OUT[listeners], **more}
    measured = bench.load(server, *rows, **given)
    return float(measured.server["cpu_s"] * 1e6 / measured.figures["shouts_received"])


# --- rows ----------------------------------------------------------------------------------------------------------


def commands(bench: Bench) -> None:
    """`time`."""
    base = answering_us(bench)
    with bench.fibsd(bench.accounts()) as server:
        given = {"pairs": 0, "talkers": TALKERS, "cmd": "time", "cmd_rate": OFFERED_PER_S}
        measured = bench.load(server, "time", **given)
    bench.found("time", measured.server["cpu_us_per_command"], base)


def turns_in_memory(bench: Bench) -> None:
    """`turn` and `turns`."""
    base = answering_us(bench)
    with bench.fibsd() as server:
        measured = bench.load(server, "turn", "turns", pairs=PAIRS, register=True, warmup=1)
    bench.found("turn", measured.server["cpu_us_per_move"], base)
    # By the CPU's second, not the clock's: others may have used some of the core.
    bench.found("turns", measured.figures["moves"] / measured.server["cpu_s"], PEER_TURNS_PER_S)


def turns_stored(bench: Bench) -> None:
    """`turn-sqlite`."""
    base = answering_us(bench)
    with bench.fibsd(bench.accounts()) as server:
        measured = bench.load(server, "turn-sqlite", pairs=PAIRS, warmup=1)
    bench.found("turn-sqlite", measured.server["cpu_us_per_move"], base)


def watchers(bench: Bench) -> None:
    """`watch-100` and `watch-1000`: what a match with watchers costs beyond one without."""
    counts = [count for count in FAN_OUT if bench.wants(f"watch-{count}")]
    with bench.fibsd(bench.accounts()) as server:
        alone = bench.load(server, *(f"watch-{count}" for count in counts), pairs=1, warmup=1)
        for count in counts:
            row = f"watch-{count}"
            base = spreading_us(bench, count)
            # Everybody is told of everybody's login, and that he watches: that must be over.
            given = {"pairs": 1, "watchers": count, "warmup": 1 + count / 200, "login_timeout": 60}
            watched = bench.load(server, row, **given)
            extra = watched.server["cpu_us_per_move"] - alone.server["cpu_us_per_move"]
            lines = watched.figures["watcher_lines"] / (watched.figures["moves"] * count)
            if not 2 <= lines <= 8:
                bench.fault(f"{lines:.1f} lines for a watcher and turn", row)
            bench.found(row, extra / count, base)


def shout(bench: Bench) -> None:
    """`shout`."""
    base = spreading_us(bench, ROOM)
    with bench.fibsd(bench.accounts()) as server:
        bench.found("shout", _spread(bench, server, ROOM, "shout", warmup=2, login_timeout=60), base)


def moves(bench: Bench) -> None:
    """`move-p50`, `move-p99` and `move-tail`: answers while the server is half busy."""
    rows = ("move-p50", "move-p99", "move-tail")
    with bench.fibsd(bench.accounts()) as server:
        half = bench.load(server, *rows, pairs=MANY_PAIRS, warmup=1)
        # A turn costs more when few come together: each run tells how much.
        for _ in range(TRIES):
            think = think_s(half.server["cpu_us_per_move"])
            half = bench.load(server, *rows, pairs=MANY_PAIRS, warmup=1, think=think)
            busy = half.server["cpu_load"]
            if abs(busy / HALF - 1) <= AS_BUSY:
                break
    bench.note(f"the server used {busy:.2f} of its core", *rows[:2])
    p99 = half.latency_ms("move", "p99")
    bench.found("move-p50", half.latency_ms("move", "p50"), 3.0)
    bench.found("move-p99", p99, 10.0)
    if bench.wants("move-tail"):
        base = _tail_of_floor_ms(bench, "t1", busy, answering_us(bench))
        bench.found("move-tail", p99, base)
        stored = _tail_of_floor_ms(bench, "t1-stored", busy, STORED_GUESS_US)
        bench.note(
            f"T1 that stores each line before it answers: {stored:.2f} ms, {stored / base:.1f} x T1", "move-tail"
        )


def think_s(turn_us: float, load: float = HALF, pairs: int = MANY_PAIRS) -> float:
    """How long bots must wait before each act so that their turns use this share of a core.

    A turn of a 1-point match is one act: the dice are rolled by themselves.
    """
    return pairs * turn_us * 1e-6 / load


def _tail_of_floor_ms(bench: Bench, kind: str, busy: float, line_us: float) -> float:
    """A floor's p99 in milliseconds when it uses this share of its core; a line costs it about so much."""
    rate = busy / (line_us * 1e-6)
    with floor(kind, bench.place, bench.cores.server) as server:
        # A line costs more when few come together: each run tells how much.
        for _ in range(TRIES):
            measured = bench.load(server, "move-tail", pairs=0, talkers=TALKERS, cmd="time", cmd_rate=rate)
            found = measured.server["cpu_load"]
            if abs(found / busy - 1) <= AS_BUSY:
                break
            rate *= busy / found
    bench.note(f"the floor {kind} used {found:.2f} of its core, the server {busy:.2f}", "move-tail")
    return measured.latency_ms("cmd", "p99")
