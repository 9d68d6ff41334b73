"""While tests run, values refuse to be changed; and who runs all fast tests has them run by several processes."""

import os
import sys
from pathlib import Path

import attrs
import pytest

from fibsd import values

# Decorators look here when their classes are made.
assert not any(name.startswith("fibsd.backgammon") for name in sys.modules)
values.frozen = attrs.frozen

MOST_PROCESSES = 4
"""Each of them begins by finding all tests, and has a PostgreSQL of its own."""


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Only this one for a file, which would start later, and for slow tests, some of which measure time."""
    everything = [Path(arg).resolve() for arg in config.args] == [Path(__file__).parent]
    fast = config.option.markexpr == "not slow"
    return min(os.cpu_count() or 1, MOST_PROCESSES) if everything and fast else 0
