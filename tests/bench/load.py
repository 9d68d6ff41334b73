"""The load generator: how it is built, run, and read."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import attrs

from tests.bench.machine import settle_in

SOURCE = Path(__file__).with_name("fibsload.c")
BUILD = ("gcc", "-O2", "-Wall", "-Wextra", "-std=gnu11")
BUILD_S = 120.0
SLACK_S = 60.0
"""Seconds that a run may last beyond its logins and its measuring."""
BUSY = 0.8
"""Share of its core beyond which the load generator itself may be what is slow."""


class LoadFailed(Exception):
    """The load generator measured nothing."""


@attrs.frozen(kw_only=True)
class Measured:
    """What one run of the load generator says.

    Attributes:
        figures: All of it, as the generator names it.
    """

    figures: dict[str, Any]

    @property
    def server(self) -> dict[str, float]:
        """CPU and memory of the server."""
        server: dict[str, float] = self.figures["server"]
        return server

    def latency_ms(self, kind: str, quantile: str) -> float:
        """How long answers to a kind of command took: quantile `p50`, `p90`, `p99` or `max`."""
        return float(self.figures["latency"][kind][f"{quantile}_us"]) / 1000

    @property
    def busy(self) -> float:
        """Share of a core that the load generator used."""
        return float(self.figures["client_load"])

    def faults(self) -> list[str]:
        """What must not be and is."""
        counted = {name: self.figures[name] for name in ("nudges", "forced_resigns", "canmove_mismatch")}
        counted["errors"] = self.figures["errors"]["total"]
        return [f"{name} {count}" for name, count in counted.items() if count]


def build(cache: Path) -> Path:
    """Build the load generator, unless this source was built before.

    Raises:
        LoadFailed: It does not compile, or its own test fails.
    """
    digest = hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:16]
    program = cache / f"fibsload-{digest}"
    if program.exists():
        return program
    cache.mkdir(parents=True, exist_ok=True)
    fresh = program.with_suffix(f".{os.getpid()}")
    for command in ([*BUILD, "-o", str(fresh), str(SOURCE)], [str(fresh), "--selftest"]):
        done = subprocess.run(command, capture_output=True, text=True, timeout=BUILD_S, check=False)
        if done.returncode:
            raise LoadFailed(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    fresh.replace(program)
    return program


def options(given: dict[str, object]) -> list[str]:
    """Command-line options by their names, with `_` for `-`; True stands for one without a value."""
    words: list[str] = []
    for name, value in given.items():
        words.append("--" + name.replace("_", "-"))
        if value is not True:
            words.append(str(value))
    return words


@attrs.define(eq=False)
class Load:
    """One running load generator."""

    _popen: subprocess.Popen[str]
    _limit_s: float

    @classmethod
    def start(cls, program: Path, core: set[int], limit_s: float, **given: object) -> Load:
        """Start it.

        Args:
            program: What `build` gave.
            core: Where it runs.
            limit_s: Seconds after which it is killed.
            given: Its options, see `options`.
        """
        popen = subprocess.Popen(
            [str(program), *options(given)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=partial(settle_in, core),
        )
        return cls(popen, limit_s)

    def result(self) -> Measured:
        """Wait for its end.

        Raises:
            LoadFailed: It measured nothing, or not in time.
        """
        try:
            output, errors = self._popen.communicate(timeout=self._limit_s)
        except subprocess.TimeoutExpired as late:
            raise LoadFailed(f"the load generator had not ended after {self._limit_s:.0f} s") from late
        finally:
            self.stop()
        try:
            return Measured(figures=json.loads(output))
        except json.JSONDecodeError as error:
            raise LoadFailed(errors.strip() or "the load generator printed nothing") from error

    def stop(self) -> None:
        """End it if it still runs."""
        if self._popen.poll() is None:
            self._popen.kill()
            self._popen.communicate()
