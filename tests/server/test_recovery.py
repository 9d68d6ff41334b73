"""A forgotten password, from end to end: a real server on a real file, killed at the worst moments."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import trio

from tests.support.process import Process, fibsd_once
from tests.support.ring import Client

DATABASE = ("--database", "sqlite:///fibsd.db")
WRONG = r"^\*\* User not known or wrong recovery code\.\r\n\r\nlogin: $"


async def _connect(process: Process) -> Client:
    client = Client(await trio.open_tcp_stream(*process.addresses[0]))
    await client.until("login: $")
    return client


async def test_code_outlives_a_server_that_is_killed_and_works_once(tmp_path: Path) -> None:
    """Killed as soon as the code was shown, and again as soon as it was used."""
    with Process.start(tmp_path, *DATABASE) as process:
        assert _operator(tmp_path, "add", "secret") == "Account ann created.\n"
        ann = await _connect(process)
        async with ann.stream:
            await ann.send("login test 1008 ann secret", "recovery secret")
            shown = await ann.until(r"^Your recovery code: [-0-9A-Z]+\r\n")
            process.kill()
    code = shown.splitlines()[-1].removeprefix("Your recovery code: ")
    with Process.start(tmp_path, *DATABASE) as process:
        ann = await _connect(process)
        async with ann.stream:
            await ann.send(f"recover ann {code[:-1]} better")
            await ann.until(WRONG)
            await ann.send(f"recover ann {code.lower()} better")
            await ann.until(r"^\*\* User ann authenticated\.\r\n")
            process.kill()
    with Process.start(tmp_path, *DATABASE) as process:
        ann = await _connect(process)
        async with ann.stream:
            await ann.send(f"recover ann {code} again")
            await ann.until(WRONG)
            await ann.send("connect ann secret")
            await ann.until("login: $")
            await ann.send("connect ann better")
            await ann.until(r"^\*\* User ann authenticated\.\r\n")
        assert process.terminate() == 0
    written = process.log.read_text()
    assert "password changed by recovery code" in written
    assert [word for word in (code, code.lower(), code.replace("-", ""), "better") if word in written] == []
    assert process.faults == []
    with closing(sqlite3.connect(tmp_path / "fibsd.db")) as database:
        assert database.execute("SELECT by, act, subject, details FROM audit").fetchall() == [
            ("ann", "recover", "ann", "")
        ]
        dump = "\n".join(database.iterdump())
    assert not re.search(f"{code}|{code.replace('-', '')}|better", dump)


async def test_operator_gives_a_new_password_and_the_code_ends(tmp_path: Path) -> None:
    """While the server runs, from the command line."""
    with Process.start(tmp_path, *DATABASE) as process:
        assert _operator(tmp_path, "add", "secret") == "Account ann created.\n"
        ann = await _connect(process)
        async with ann.stream:
            await ann.send("login test 1008 ann secret", "recovery secret")
            shown = await ann.until(r"^Your recovery code: [-0-9A-Z]+\r\n")
        code = shown.splitlines()[-1].removeprefix("Your recovery code: ")
        assert _operator(tmp_path, "passwd", "renewed") == "Password of ann changed.\n"
        ann = await _connect(process)
        async with ann.stream:
            await ann.send(f"recover ann {code} better")
            await ann.until(WRONG)
            await ann.send("connect ann renewed")
            await ann.until(r"^\*\* User ann authenticated\.\r\n")


def _operator(directory: Path, act: str, password: str) -> str:
    options = ("--config", "cheap.toml", *DATABASE)
    return fibsd_once(directory, "user", act, *options, "ann", typed=f"{password}\n").stdout
