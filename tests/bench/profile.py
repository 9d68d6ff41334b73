"""Where the time of a turn goes: row `turn`, with a profiler inside the server."""

from __future__ import annotations

import pstats
import re
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

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
        load = bench.start(server, pairs=PAIRS, register=True, warmup=2, seconds=bench.scale.seconds * 2)
        time.sleep(1.5)
        server.tell(signal.SIGUSR1)
        measured = bench.checked(load.result(), "profile")
        server.tell(signal.SIGUSR2)
        patience = time.monotonic() + WRITTEN_S
        while not seen.exists() and time.monotonic() < patience:
            time.sleep(0.05)
    return described(pstats.Stats(str(seen)), _turns(measured.figures))


def _turns(figures: dict[str, Any]) -> float:
    """Turns of the profiled time: what was measured and the part of the warming-up that lay in it."""
    return float(figures["moves"])


def described(stats: pstats.Stats, turns: float) -> str:
    """The two tables."""
    entries = stats.stats  # type: ignore[attr-defined] # there, but not in the stubs
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
