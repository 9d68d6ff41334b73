"""The command `fibsd bot`: where its password comes from, what it refuses, and how it ends."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
import trio
from click.testing import CliRunner, Result

from fibsd.cli import main
from tests.support.client import PASSWORD
from tests.support.process import environment
from tests.support.ring import Ring, running

PATIENCE_S = 30.0


def run(*arguments: str, typed: str = "") -> Result:
    return CliRunner().invoke(main, ("bot", *arguments), input=typed)


@pytest.mark.parametrize(
    ("arguments", "typed", "complaint"),
    [
        (("--name", "bob", "--server", "nowhere"), "secret\n", "must be HOST:PORT"),
        (("--name", "bob7"), "secret\n", "only letters"),
        (("--name", "bob"), "", "without blanks"),
        (("--name", "bob"), "two words\n", "without blanks"),
        (("--name", "bob", "--password-file", "missing"), "", "cannot be read"),
        (("--name", "bob", "--engine", "gnubg"), "secret\n", "'gnubg' is not 'builtin'"),
        ((), "secret\n", "Missing option '--name'"),
    ],
)
def test_what_is_refused(arguments: tuple[str, ...], typed: str, complaint: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ("bot", *arguments), input=typed)
    assert result.exit_code in (1, 2)
    assert complaint in result.stderr


def started(ring: Ring, *arguments: str, **more: str) -> subprocess.Popen[bytes]:
    host, port = ring.address
    return subprocess.Popen(
        [sys.executable, "-m", "fibsd", "bot", "--name", "bob", "--server", f"{host}:{port}", *arguments],
        env={**environment(), **more},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


async def on_line(ring: Ring, *names: str) -> None:
    with trio.fail_after(PATIENCE_S):
        while ring.on_line() != set(names):  # noqa: ASYNC110 - another process has no event
            await trio.sleep(0.01)


async def says(process: subprocess.Popen[bytes], *lines: str) -> None:
    """Wait until a bot has said these lines: it may be on-line a moment before it knows that."""
    assert process.stdout is not None
    with trio.fail_after(PATIENCE_S):
        said = [await trio.to_thread.run_sync(process.stdout.readline) for _ in lines]
    assert said == [f"{line}\n".encode() for line in lines]


@pytest.mark.parametrize("way", ["file", "environment", "input"])
async def test_it_logs_in_with_the_password_and_ends_by_a_signal(way: str, tmp_path: Path) -> None:
    (tmp_path / "password").write_text(f"{PASSWORD}\n")
    async with running() as ring:
        await ring.account("bob")
        arguments = ("--password-file", str(tmp_path / "password")) if way == "file" else ()
        more = {"FIBSD_BOT_PASSWORD": PASSWORD} if way == "environment" else {}
        with started(ring, *arguments, **more) as process:
            assert process.stdin is not None
            if way == "input":
                process.stdin.write(f"{PASSWORD}\n".encode())
                process.stdin.flush()
            await says(process, "bob: logged in")
            assert ring.on_line() == {"bob"}
            process.send_signal(signal.SIGTERM)
            said, _ = await trio.to_thread.run_sync(process.communicate)
            assert (process.returncode, said) == (0, b"")
        await on_line(ring)


async def test_it_ends_with_its_input_if_it_should() -> None:
    async with running() as ring:
        with started(ring, "--register", "--end-with-input") as process:
            assert process.stdin is not None
            process.stdin.write(f"{PASSWORD}\n".encode())
            process.stdin.flush()
            await says(process, "bob: registered", "bob: logged in")
            assert ring.on_line() == {"bob"}
            said, _ = await trio.to_thread.run_sync(process.communicate)
            assert (process.returncode, said) == (0, b"")


async def test_a_wrong_password_ends_it_with_a_line() -> None:
    async with running() as ring:
        await ring.account("bob")
        with started(ring, FIBSD_BOT_PASSWORD="wrong") as process:
            said, _ = await trio.to_thread.run_sync(process.communicate)
            assert (process.returncode, said) == (1, b"bob: wrong name or password\n")
