"""Where the time of a turn goes: row `turn`, with a profiler inside the server."""

from __future__ import annotations

import pstats
import re
import signal
import time
from collections import Counter
from pathlib import Path

from tests.bench.bench import Bench
from tests.bench.play import PAIRS
from tests.support.process import ROOT

TOP = 25
WRITTEN_S = 30.0


def profile(bench: Bench) -> str:
    """Microseconds of a turn by module, and the dearest functions.

    The profiler makes calls dearer, small ones most: shares tell more than sums.
    """
    seen = bench.place / "profile"
    with bench.fibsd(inside=("profile", str(seen))) as server:
        load = bench.start(server, pairs=PAIRS, register=True, seconds=bench.scale.seconds * 2)
        time.sleep(2.0)
        server.tell(signal.SIGUSR1)
        load.result()
        server.tell(signal.SIGUSR2)
        patience = time.monotonic() + WRITTEN_S
        while not seen.exists() and time.monotonic() < patience:
            time.sleep(0.05)
    return described(pstats.Stats(str(seen)))


def described(stats: pstats.Stats) -> str:
    """The two tables."""
    entries = stats.stats  # type: ignore[attr-defined] # there, but not in the stubs
    turns = sum(calls for (file, _, name), (_, calls, *_) in entries.items() if _is_turn(file, name))
    modules: Counter[str] = Counter()
    for (file, _, name), (_, _, own, _, _) in entries.items():
        modules[_module(file, name)] += own
    total = sum(modules.values())
    lines = [
        f"{total / turns * 1e6:.0f} us a turn under the profiler",
        "",
        "| module | us | share |",
        "| --- | --- | --- |",
    ]
    lines += [f"| {name} | {own / turns * 1e6:.1f} | {own / total:.1%} |" for name, own in modules.most_common(TOP)]
    lines += ["", "| function | calls a turn | own us | with its calls |", "| --- | --- | --- | --- |"]
    dearest = sorted(entries.items(), key=lambda entry: -entry[1][2])[:TOP]
    for (file, line, name), (_, calls, own, cumulative, _) in dearest:
        where = f"{_module(file, name)}:{line} {name}" if line else name
        lines.append(f"| {where} | {calls / turns:.2f} | {own / turns * 1e6:.1f} | {cumulative / turns * 1e6:.1f} |")
    return "\n".join(lines)


def _is_turn(file: str, name: str) -> bool:
    """Whether this function is called once in each turn: the handler of `move`."""
    return name == "move" and file.endswith("commands/play.py")


def _module(file: str, name: str) -> str:
    """A short name of where a function is."""
    if file == "~":
        return "(C) " + ("system calls" if re.search(r"socket|select\.epoll", name) else "built in")
    if file.startswith("<"):
        return "attrs" if "attrs" in file else file
    path = Path(file)
    if path.is_relative_to(ROOT):
        return str(path.relative_to(ROOT))
    parts = path.parts
    return parts[parts.index("site-packages") + 1] if "site-packages" in parts else f"python {path.name}"
