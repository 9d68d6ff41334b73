"""Bots beside the server: accounts, processes, and their end."""

import os
import re
import signal
import socket
import sqlite3
from pathlib import Path

import pytest
import trio

from fibsd.bots.mind import Mind
from fibsd.bots.player import Wire
from fibsd.config import Bot, Config, ConfigError, Listen
from fibsd.server.listeners import open_listeners
from fibsd.server.residents import BOT, Resident, door, open_accounts
from fibsd.world.ids import UserName
from tests.support.client import captured_logs
from tests.support.process import CHEAP, Process, fibsd_once
from tests.support.ring import running

BOTS = ("--config", "bots.toml", "--database", "sqlite:///fibsd.db")
PASSWORD = "secret"
PATIENCE_S = 30.0


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory with a configuration that has two bots."""
    bots = '[[bots]]\nname = "Rita_Bot"\n[[bots]]\nname = "Otto_Bot"\nengine = "builtin"\n'
    (tmp_path / "bots.toml").write_text(CHEAP + bots)
    return tmp_path


def alive(pid: int) -> bool:
    """Whether there is such a process, and it is not only waited for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def shown_of(pid: int, what: str) -> list[str]:
    """The arguments or the environment of a process, as everybody on the machine may see them."""
    return Path(f"/proc/{pid}/{what}").read_text().rstrip("\0").split("\0")


async def gone(*pids: int) -> None:
    """Wait until these processes are no more."""
    with trio.fail_after(PATIENCE_S):
        while any(map(alive, pids)):  # noqa: ASYNC110 - the end of another's child has no event
            await trio.sleep(0.01)


async def pid_of(process: Process, name: str, nth: int = 1) -> int:
    """The number of the process of a bot, when it was started for the nth time and has logged in."""
    line = rf"^.*bot started +bot={name} pid=(\d+).*$"
    await process.logs(rf"(?s)(bot says +bot={name} text='?{name}: logged in.*){{{nth}}}")
    return int(re.findall(line, process.log.read_text(), re.MULTILINE)[nth - 1])


async def _plays_a_match(process: Process, name: str, other: str) -> None:
    """Log in, play one point with a bot to its end."""
    async with await trio.open_tcp_stream(*process.addresses[0]) as stream:
        wire, mind = Wire(stream), Mind(name)
        await wire.until("login: ")
        await wire.send(f"login test 1008 {name} {PASSWORD}")
        await wire.until("\n4\r\n")
        for line in mind.hear("6", 0.0):
            await wire.send(line)
        await wire.send(f"invite {other} 1")
        with trio.fail_after(PATIENCE_S):
            while True:
                line = await wire.line()
                if re.search(r"(wins|You win) the 1 point match", line):
                    return
                for answer in mind.hear(line, 0.0):
                    await wire.send(answer)


@pytest.mark.timeout(120)
async def test_bots_play_come_back_when_killed_and_end_with_the_server(place: Path) -> None:
    """Their passwords are seen nowhere, and their accounts have a right of their own."""
    assert fibsd_once(place, "user", "add", *BOTS, "ann", typed=f"{PASSWORD}\n").returncode == 0
    with Process.start(place, *BOTS) as process:
        rita, otto = await pid_of(process, "Rita_Bot"), await pid_of(process, "Otto_Bot")
        assert shown_of(rita, "environ") == shown_of(process.pid, "environ")
        assert shown_of(rita, "cmdline")[3:] == [
            *("--name", "Rita_Bot", "--engine", "builtin"),
            *("--server", f"127.0.0.1:{process.addresses[0][1]}", "--end-with-input"),
        ]
        await _plays_a_match(process, "ann", "Rita_Bot")
        os.kill(rita, signal.SIGKILL)
        again = await pid_of(process, "Rita_Bot", nth=2)
        assert again != rita
        await process.logs("bot ended +again_in_s=1.0 bot=Rita_Bot.* status=-9")
        await _plays_a_match(process, "ann", "Rita_Bot")
        assert await trio.to_thread.run_sync(process.terminate) == 0
        await gone(rita, again, otto)
        assert process.faults == []
    with sqlite3.connect(place / "fibsd.db") as connection:
        rights = dict(connection.execute("select name, rights from accounts"))
    connection.close()
    assert rights == {"ann": BOT, "Rita_Bot": BOT, "Otto_Bot": BOT}


@pytest.mark.timeout(120)
async def test_bots_end_when_the_server_was_killed_and_the_next_one_has_its_own(place: Path) -> None:
    with Process.start(place, *BOTS) as process:
        old = await pid_of(process, "Rita_Bot")
        process.kill()
        await gone(old)
    with Process.start(place, *BOTS) as process:
        await pid_of(process, "Rita_Bot", nth=2)
        assert await trio.to_thread.run_sync(process.terminate) == 0


async def test_a_name_of_a_user_is_refused(place: Path) -> None:
    """In one line, before anything listens; what the user has stays as it is."""
    assert fibsd_once(place, "user", "add", *BOTS, "otto_bot", typed=f"{PASSWORD}\n").returncode == 0
    done = fibsd_once(place, "serve", *BOTS, "--listen", "127.0.0.1:0")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == "bots: the name Otto_Bot belongs to somebody who is no bot"
    assert "Traceback" not in done.stderr
    with sqlite3.connect(place / "fibsd.db") as connection:
        assert connection.execute("select rights from accounts where name = 'otto_bot'").fetchone() == ("",)
    connection.close()


async def test_each_start_gives_new_passwords() -> None:
    async with running() as ring:
        engine, bots = ring.app.engine, (Bot(name="Rita_Bot"), Bot(name="Otto_Bot"))
        first = await open_accounts(engine, bots)
        second = await open_accounts(engine, bots)
        assert first.keys() == second.keys() == {"Rita_Bot", "Otto_Bot"}
        assert len({*first.values(), *second.values()}) == 4
        account = await engine.store.account("Rita_Bot")
        assert account is not None
        assert await engine.passwords.verify(account.password_hash, second[UserName("Rita_Bot")])
        with pytest.raises(ConfigError, match="the name guest belongs to somebody"):
            await open_accounts(engine, (Bot(name="guest"),))


@pytest.mark.parametrize(
    ("listen", "hosts", "found"),
    [
        (Listen(), ("127.0.0.1",), "127.0.0.1"),
        (Listen(), ("0.0.0.0",), "127.0.0.1"),
        (Listen(), ("::1",), "::1"),
        (Listen(), ("::",), "::1"),
        (Listen(proxy_from=("127.0.0.0/8",)), ("127.0.0.1", "::1"), "::1"),
    ],
)
def test_bots_connect_at_the_first_address_of_this_machine(listen: Listen, hosts: tuple[str, ...], found: str) -> None:
    listeners = open_listeners(tuple(f"[{host}]:0" if ":" in host else f"{host}:0" for host in hosts))
    try:
        host, port = door(listeners, Config(listen=listen))
    finally:
        for listener in listeners:
            listener.close()
    assert host == found
    assert port > 0


def test_without_such_an_address_there_are_no_bots() -> None:
    """None at all, or only one where a proxy is expected."""
    with pytest.raises(ConfigError, match=r"listen\.clear"):
        door([], Config())
    with socket.create_server(("127.0.0.1", 0)) as listener, pytest.raises(ConfigError, match="proxy_from"):
        door([listener], Config(listen=Listen(proxy_from=("127.0.0.1/32",))))


async def test_a_bot_that_cannot_start_is_tried_again_ever_more_seldom(
    autojump_clock: trio.abc.Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After 1, 2, 4 seconds and so on, up to a minute; each time it is logged."""

    async def fails(*_: object, **__: object) -> trio.Process:
        raise FileNotFoundError("no such program")

    monkeypatch.setattr(trio.lowlevel, "open_process", fails)
    resident = Resident(name=UserName("Rita_Bot"), engine="builtin", password="x", address=("127.0.0.1", 1))
    with captured_logs() as logs, trio.move_on_after(200.0):
        await resident.live()
    assert [entry["again_in_s"] for entry in logs] == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert {entry["event"] for entry in logs} == {"bot cannot be started"}
