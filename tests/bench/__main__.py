"""`python -m tests.bench`: measure, judge, and compare. See docs/design/performance.md."""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from types import FrameType

import attrs

from tests.bench import play, room
from tests.bench.bench import QUICK, Bench, Scale
from tests.bench.curves import curves
from tests.bench.load import LoadFailed, build
from tests.bench.machine import Cores, raise_file_limit, settle_in
from tests.bench.profile import profile
from tests.bench.report import NotComparable, as_json, curve_table, grown, read_ratios, table
from tests.bench.rows import ROWS, Result
from tests.support.process import ROOT

EXIT_WRONG = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130
RULES_S = 120.0


def rules(bench: Bench) -> None:
    """The rows of the rules, which are measured in a process of their own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.rules"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=RULES_S,
        check=True,
        preexec_fn=lambda: settle_in({bench.cores.server}),
    )
    figures = json.loads(done.stdout)
    for name in ("generate", "generate-worst", "check", "playable"):
        bench.found(name, figures[name], float(ROWS[name].base))
    if "gnubg-nn" in figures:
        bench.found("generate-peer", figures["generate"], figures["gnubg-nn"])
    elif bench.wants("generate-peer"):
        bench.note("the package gnubg-nn is not installed", "generate-peer")


EXPERIMENTS: tuple[tuple[Callable[[Bench], None], tuple[str, ...]], ...] = (
    (play.commands, ("time",)),
    (play.turns_in_memory, ("turn", "turns")),
    (play.turns_stored, ("turn-sqlite",)),
    (play.watchers, ("watch-100", "watch-1000")),
    (play.shout, ("shout",)),
    (play.moves, ("move-p50", "move-p99", "move-tail")),
    (room.arrivals, ("login", "announce", "match")),
    (room.reconnect, ("reconnect", "reconnect-move")),
    (rules, ("generate", "generate-worst", "check", "playable", "generate-peer")),
)
"""What is done in each pass, with the rows that it fills."""
ONCE = (room.many, ("memory", "idle", "crowd-p99", "crowd-turn"))
"""What is done after the passes, for all of them."""
OPTIONAL = frozenset({"generate-peer"})
"""Rows that may stay empty."""


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--passes", type=int, default=None, metavar="N", help="passes, of which the medians count (3)")
    parser.add_argument("--quick", action="store_true", help="one short pass with a small crowd: to see that all works")
    parser.add_argument("--only", metavar="NAME[,NAME]", help="only these rows: " + ", ".join(ROWS))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    parser.add_argument(
        "--compare", type=Path, metavar="FILE", help="fail if a ratio has grown by more than 25 %% since"
    )
    parser.add_argument("--curves", action="store_true", help="growth curves instead of rows, unless --only is given")
    parser.add_argument("--profile", action="store_true", help="where the time of a turn goes, instead of rows")
    parser.add_argument("--crowd", type=int, metavar="N", help="idle users in the rows about 9,000 of them")
    given = parser.parse_args()
    given.rows = frozenset(given.only.split(",")) if given.only else frozenset(ROWS)
    if unknown := given.rows - ROWS.keys():
        parser.error(f"no such rows: {', '.join(sorted(unknown))}")
    if min(given.passes or 1, given.crowd or 1) < 1:
        parser.error("passes and crowd are at least 1")
    return given


def measure(bench: Bench) -> list[Result]:
    """All wanted rows."""
    for nth in range(1, bench.scale.passes + 1):
        bench.floors.clear()
        for experiment, rows in EXPERIMENTS:
            attempt(bench, f"pass {nth} of {bench.scale.passes}", experiment, rows)
    attempt(bench, "for all passes", *ONCE)
    results = []
    for name, row in ROWS.items():
        faults, notes = bench.faults.get(name, []), bench.notes.get(name, [])
        if name in bench.samples:
            results.append(Result.of(row, bench.samples[name], faults, notes))
        elif bench.wants(name):
            print(f"{name}: not measured: {'; '.join([*faults, *notes])}")
    return results


def attempt(bench: Bench, when: str, experiment: Callable[[Bench], None], rows: tuple[str, ...]) -> None:
    """Do an experiment, if any row of it is wanted; if it fails, its rows cannot be concluded from."""
    if not bench.wants(*rows):
        return
    bench.progress(f"{when}: {', '.join(row for row in rows if bench.wants(row))}")
    try:
        experiment(bench)
    except (LoadFailed, OSError, EOFError, subprocess.SubprocessError, ZeroDivisionError) as error:
        bench.fault(f"{when}: {error!r}", *rows)
        bench.progress(f"failed: {error!r}")


def conditions(cores: Cores, scale: Scale) -> dict[str, object]:
    """Under what all was measured."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "trio": version("trio"),
        "cores": os.cpu_count(),
        "apart": cores.apart,
        "load": os.getloadavg()[0],
        "passes": scale.passes,
        "seconds": scale.seconds,
    }


def run(given: argparse.Namespace, place: Path) -> int:
    """Do what was asked for; the exit status."""
    before = {} if given.compare is None else read_ratios(given.compare)
    scale = QUICK if given.quick else Scale()
    scale = attrs.evolve(scale, passes=given.passes or scale.passes, crowd=given.crowd or scale.crowd)
    raise_file_limit()
    cores = Cores.choose()
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "fibsd-bench"
    bench = Bench(place=place, program=build(cache), cores=cores, scale=scale, wanted=given.rows)
    if given.profile:
        print(profile(bench))
        return 0
    about = conditions(cores, scale)
    results = measure(bench) if given.only or not given.curves else []
    found = curves(bench) if given.curves else {}
    print(", ".join(f"{name} {value}" for name, value in about.items()))
    if results:
        print(table(results))
    if found:
        print(curve_table(found))
    if given.json is not None:
        given.json.write_text(as_json(results, about, found), encoding="utf-8")
    complaints = [f"{one.row.name}: {one.verdict}" for one in results if one.verdict != "ok"]
    complaints += [f"curves: {fault}" for fault in bench.faults.get("curves", [])]
    complaints += [f"grown: {line}" for line in grown(results, before)]
    measured = {one.row.name for one in results}
    if given.only or not given.curves:
        complaints += [f"{name}: not measured" for name in sorted(given.rows - measured - OPTIONAL)]
    if not cores.apart:
        complaints.append("server and load had to share a core: nothing can be concluded")
    print("\n".join(["", *complaints]) if complaints else "all goals reached")
    return EXIT_WRONG if complaints else 0


def main() -> int:
    """The exit status: 0 if all goals are reached, 1 if not, or if a row has grown or cannot be concluded from."""

    def ended(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, ended)
    given = arguments()
    with tempfile.TemporaryDirectory(prefix="fibsd-bench-") as place:
        try:
            return run(given, Path(place))
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)
            return EXIT_INTERRUPTED
        except (NotComparable, LoadFailed, OSError) as error:
            print(error, file=sys.stderr)
            return EXIT_USAGE


if __name__ == "__main__":
    sys.exit(main())
