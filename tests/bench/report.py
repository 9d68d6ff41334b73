"""What is said about the figures: a table for people, a file for the next comparison, and the comparison."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from tests.bench.rows import GROWTH, Result, growth

FORMAT = 1


class NotComparable(Exception):
    """A file that holds no figures of ours."""


def table(results: Iterable[Result]) -> str:
    """All figures as a table in Markdown, with the notes below it."""
    results = list(results)
    lines = ["| figure | value | divided by | ratio | goal | |", "| --- | --- | --- | --- | --- | --- |"]
    lines += ["| " + " | ".join(_cells(result)) + " |" for result in results]
    remarks = [f"{one.row.name}: {text}" for one in results for text in (*one.faults, *one.notes)]
    return "\n".join([*lines, *(["", *remarks] if remarks else [])])


def _cells(result: Result) -> tuple[str, ...]:
    row = result.row
    name = f"{row.base} " if isinstance(row.base, str) else ""
    return (
        f"{row.title} (`{row.name}`)",
        f"{result.value:,.{row.digits}f} {row.unit}",
        f"{name}{result.base:,.{row.digits}f} {row.unit}",
        f"{result.ratio:.2f}",
        f"{'>=' if row.at_least else '<='} {row.goal:g}",
        result.verdict,
    )


def curve_table(curves: Mapping[str, Mapping[int, float]]) -> str:
    """Growth curves: one line for each, from small to large."""
    return "\n".join(
        f"{title}: " + ", ".join(f"{value:,.2f} at {count:,}" for count, value in points.items())
        for title, points in curves.items()
    )


def as_json(results: Iterable[Result], conditions: Mapping[str, Any], curves: Mapping[str, Any]) -> str:
    """The same for programs."""
    rows = {
        one.row.name: {
            **attrs.asdict(one.row),
            "value": one.value,
            "base_value": one.base,
            "ratio": one.ratio,
            "passes": one.passes,
            "verdict": one.verdict,
            "faults": list(one.faults),
            "notes": list(one.notes),
        }
        for one in results
    }
    return json.dumps({"format": FORMAT, "conditions": conditions, "rows": rows, "curves": curves}, indent=1) + "\n"


def read_ratios(path: Path) -> dict[str, float]:
    """The ratios of a file that `as_json` made; those that could not be concluded from are left out.

    Raises:
        NotComparable: It is not such a file.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format"] != FORMAT:
            raise NotComparable(f"{path}: made by another version")
        return {name: float(row["ratio"]) for name, row in content["rows"].items() if row["verdict"] != "UNSURE"}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotComparable(f"{path}: {error}") from error


def grown(results: Sequence[Result], before: Mapping[str, float]) -> list[str]:
    """A line for each row that has become dearer by more than is allowed."""
    lines = []
    for one in results:
        old = before.get(one.row.name)
        if old is not None and growth(one, old) > GROWTH:
            times = growth(one, old)
            lines.append(f"{one.row.name}: ratio {old:.3g} before, {one.ratio:.3g} now, {times:.2f} times the cost")
    return lines
