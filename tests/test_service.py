"""The unit and the recipe that are shipped fit the program."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from fibsd import cli
from fibsd.config import Config
from tests.docs import ROOT

UNIT = ROOT / "docs" / "how-to" / "fibsd.service"
RECIPE = ROOT / "docs" / "how-to" / "Containerfile"
ANALYZE = shutil.which("systemd-analyze")


def setting(name: str) -> list[str]:
    """All values of a setting of the unit."""
    return re.findall(rf"^{name}=(.*)$", UNIT.read_text(encoding="utf-8"), re.MULTILINE)


def test_unit_allows_what_the_default_configuration_needs() -> None:
    (files,), (memory,) = setting("LimitNOFILE"), setting("MemoryMax")
    limits = Config().limits
    assert int(files) > limits.max_connections + 100
    assert memory == "1G"
    assert limits.outbox_total_bytes < 500_000_000


def test_unit_starts_again_only_what_may_get_better() -> None:
    assert setting("RestartPreventExitStatus") == [f"{cli.EXIT_CONFIG} {cli.EXIT_STORE}"]
    assert setting("Type") == ["notify"]
    assert setting("ExecReload") == ["/bin/kill -HUP $MAINPID"]


@pytest.mark.skipif(ANALYZE is None, reason="systemd is not here")
def test_unit_is_well_formed(tmp_path: Path) -> None:
    """As systemd sees it, with a program that there is."""
    assert ANALYZE is not None
    copy = tmp_path / UNIT.name
    copy.write_text(UNIT.read_text(encoding="utf-8").replace("/opt/fibsd/bin/fibsd", sys.executable), encoding="utf-8")
    done = subprocess.run([ANALYZE, "verify", str(copy)], capture_output=True, text=True, timeout=30, check=False)
    # It also tells of other units on this machine, which are none of our business.
    assert [line for line in done.stderr.splitlines() if UNIT.name in line] == []


def test_recipe_runs_commands_that_there_are() -> None:
    recipe = RECIPE.read_text(encoding="utf-8")
    commands = re.findall(r'CMD \["(?:fibsd", ")?(\w+)"\]', recipe)
    assert commands == ["health", "serve"]
    for command in commands:
        assert CliRunner().invoke(cli.main, [command, "--help"]).exit_code == 0


def test_recipe_ends_the_server_gently_and_not_as_root() -> None:
    lines = RECIPE.read_text(encoding="utf-8").splitlines()
    assert "STOPSIGNAL SIGTERM" in lines
    assert "USER fibsd" in lines
    assert sum(line.startswith("VOLUME") for line in lines) == 1
    assert sum(line.startswith("FROM ") for line in lines) == 2
