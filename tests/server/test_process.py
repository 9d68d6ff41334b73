"""The server as the operator runs it: started, stopped, refused."""

import re
from pathlib import Path

import pytest
import trio
from click.testing import CliRunner

from fibsd.cli import main
from tests.support.process import CHEAP, Process, fibsd_once
from tests.support.ring import Client

DATABASE = ("--database", "sqlite:///fibsd.db")


@pytest.fixture
def players(tmp_path: Path) -> None:
    """Ann and Bob have accounts."""
    (tmp_path / "cheap.toml").write_text(CHEAP)
    options = ("--config", str(tmp_path / "cheap.toml"), "--database", f"sqlite:///{tmp_path / 'fibsd.db'}")
    for name in ("ann", "bob"):
        assert CliRunner().invoke(main, ("user", "add", *options, name), input="secret\n").exit_code == 0


@pytest.mark.usefixtures("players")
async def test_stopped_server_saves_all_matches(tmp_path: Path) -> None:
    """Everybody is told, the exit status is 0, and after the next start the match is where it was."""
    with Process.start(tmp_path, *DATABASE) as process:
        ann, bob = [await _login(process, name) for name in ("ann", "bob")]
        async with ann.stream, bob.stream:
            await bob.send("toggle ready")
            await bob.until(r"^\*\* You're now ready")
            await ann.send("invite bob 3")
            await bob.until(r"^Type 'join ann' to accept\.\r\n")
            await bob.send("join ann")
            board = (await ann.until(r"^board:.*\r\n")).splitlines()[-1]
            status = await trio.to_thread.run_sync(process.terminate)
            for client in (ann, bob):
                assert re.search(r"^\*\* System adm.*\r\n\*\* All.*\r\n\*\* It.*\r\n$", await client.rest(), re.M)
    assert (status, process.faults) == (0, [])
    with Process.start(tmp_path, *DATABASE) as process:
        ann, bob = [await _login(process, name) for name in ("ann", "bob")]
        async with ann.stream, bob.stream:
            await ann.send("invite bob")
            await bob.until(r"^Type 'join ann' to accept\.\r\n")
            await bob.send("join ann")
            assert (await ann.until(r"^board:.*\r\n")).splitlines()[-1] == board


async def test_account_added_while_the_server_runs(tmp_path: Path) -> None:
    """The program takes the password from its standard input, and the account is there at once."""
    with Process.start(tmp_path, *DATABASE) as process:
        done = fibsd_once(tmp_path, "user", "add", "--config", "cheap.toml", *DATABASE, "ann", typed="secret\n")
        assert (done.returncode, done.stdout, done.stderr) == (0, "Account ann created.\n", "")
        ann = await _login(process, "ann")
        await ann.stream.aclose()


async def _login(process: Process, name: str) -> Client:
    return await Client(await trio.open_tcp_stream(*process.addresses[0])).login(name)


async def test_listening_on_two_addresses(tmp_path: Path) -> None:
    """Both are told in a line each, and both answer; `--listen` stands in for the file's addresses."""
    with Process.start(tmp_path, "--database", "memory:", listeners=2) as process:
        assert len(set(process.addresses)) == 2
        for address in process.addresses:
            stream = await trio.open_tcp_stream(*address)
            async with stream:
                await Client(stream).until("login: $")


def test_second_server_on_one_database(tmp_path: Path) -> None:
    """It says why in one line; the first goes on."""
    with Process.start(tmp_path, *DATABASE) as process:
        second = fibsd_once(tmp_path, "serve", "--config", "cheap.toml", "--listen", "127.0.0.1:0", *DATABASE)
        assert (second.returncode, second.stdout) == (3, "")
        assert re.fullmatch(r"another server \(process \d+\) uses .*fibsd\.db\n", second.stderr)
        assert process.running


def test_address_in_use(tmp_path: Path) -> None:
    """One line, too."""
    with Process.start(tmp_path, "--database", "memory:") as process:
        host, port = process.addresses[0]
        second = fibsd_once(tmp_path, "serve", "--listen", f"{host}:{port}", "--database", "memory:")
        assert (second.returncode, second.stdout) == (3, "")
        assert re.fullmatch(r"cannot listen: .*in use\n", second.stderr)


@pytest.mark.parametrize("command", ["serve", "check-config"])
def test_faults_of_the_configuration(tmp_path: Path, command: str) -> None:
    """All of them are listed, each with its key, and nothing is started."""
    (tmp_path / "config.toml").write_text(
        '[listen]\nclear = ["nowhere"]\n[limits]\nmax_users = "many"\n[typo]\nx = 1\n'
    )
    done = fibsd_once(tmp_path, command)
    assert (done.returncode, done.stdout) == (2, "")
    faults = done.stderr.splitlines()
    keys = ("listen.clear", "limits.max_users", "typo")
    assert [fault.partition(":")[0] for fault in faults] == [f"config.toml.{key}" for key in keys]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["config.toml"]
