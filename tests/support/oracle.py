"""Reference tables from independent programs: where they are and how they are read."""

import csv
import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def oracle_path(name: str) -> Path:
    """A file of the oracle folder: $FIBSD_ORACLE if set, else the one that comes with the tests."""
    folder = os.environ.get("FIBSD_ORACLE")
    if folder:
        return Path(folder) / name
    return Path(__file__).parent.parent / "data" / "oracle" / name


def csv_rows(name: str) -> list[dict[str, str]]:
    """The rows of a table, by column name."""
    with oracle_path(name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def json_rows(name: str) -> Iterator[Any]:
    """The values of a file with one JSON value a line, packed or not."""
    path = oracle_path(name)
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)
