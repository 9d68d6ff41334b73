"""The commands for copies of the database and for a look at the server."""

import os
import shutil
import socket
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import trio
from click.testing import CliRunner, Result

from fibsd.cli import main
from fibsd.storage import backup as module
from fibsd.storage import database, sqlite
from fibsd.storage.sql import open_store
from fibsd.storage.store import Job, Store
from fibsd.world.account import Account
from fibsd.world.changes import AccountCreated, TextSet
from fibsd.world.ids import UserName

VERSION_1 = Path(__file__).parent / "data" / "schema-0001.sql"


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty one to work in, with a configuration."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FIBSD_CONFIG", raising=False)
    (tmp_path / "config.toml").write_text('[database]\nurl = "sqlite:///fibsd.db"\n')
    return tmp_path


def run(*arguments: str | Path) -> tuple[int, str, str]:
    """Run a command to its end: exit status, standard output, standard error."""
    result: Result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    return result.exit_code, result.stdout, result.stderr


def refused(*arguments: str | Path) -> str:
    """The one line of a command that ends with exit status 3."""
    code, out, err = run(*arguments)
    assert (code, out, err.count("\n")) == (3, "", 1)
    return err.rstrip()


def make(path: Path, *names: str) -> None:
    """Make a database with these accounts."""
    open_store(f"sqlite:///{path}")
    sink = database.database_of(f"sqlite:///{path}").sink(None)
    for number, name in enumerate(names, start=1):
        account = Account(name=UserName(name), password_hash="x", created=1.0)
        sink.write([Job(number=number, changes=(AccountCreated(account=account),))])
    sink.close()


def names(path: Path) -> list[str]:
    """The accounts of a database."""
    with closing(sqlite3.connect(path)) as connection:
        return [name for (name,) in connection.execute("SELECT name FROM accounts ORDER BY name")]


def files(directory: Path) -> list[str]:
    """All there is, but for the configuration and the lock."""
    return sorted(file.name for file in directory.iterdir() if file.name not in ("config.toml", "fibsd.db.lock"))


# --- backup ----------------------------------------------------------------------------------------------------


def test_backup_is_whole_and_private(directory: Path) -> None:
    """One file, whatever the umask, which is a database by itself."""
    make(directory / "fibsd.db", "ann", "bob")
    before = os.umask(0)
    try:
        code, out, err = run("backup", "copy.db")
    finally:
        os.umask(before)
    file = directory / "copy.db"
    assert (code, out, err) == (0, f"copy.db: {file.stat().st_size} bytes\n", "")
    assert file.stat().st_mode & 0o777 == 0o600
    assert files(directory) == ["copy.db", "fibsd.db"]
    assert names(file) == ["ann", "bob"]


async def test_backup_while_the_server_runs(directory: Path) -> None:
    """It disturbs nobody, and has what was stored last, which is not in the file itself yet."""
    make(directory / "fibsd.db", "ann")
    store: Store = open_store("sqlite:///fibsd.db", serve=True)
    stored: list[int] = []
    store.start(lambda outcomes: stored.extend(outcome.number for outcome in outcomes if outcome.error is None))
    last = 300
    for number in range(1, last):
        store.submit(Job(number=number, changes=(TextSet(key="motd", text=str(number)),)))
    code, _, err = await trio.to_thread.run_sync(run, "backup", "copy.db")
    assert (code, err) == (0, "")
    store.submit(Job(number=last, changes=(TextSet(key="motd", text="end"),)))
    assert await store.close(5.0)
    assert stored == [*range(1, last + 1)]
    with closing(sqlite3.connect(directory / "copy.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("SELECT name FROM accounts").fetchall() == [("ann",)]
        assert len(connection.execute("SELECT text FROM texts").fetchall()) <= 1


def test_backup_has_what_is_only_in_the_log(directory: Path) -> None:
    """As after a crash."""
    make(directory / "fibsd.db", "ann")
    with closing(sqlite.connect(directory / "fibsd.db")) as connection:
        connection.execute("UPDATE accounts SET name = 'zoe', key = 'zoe'")
        assert files(directory) == ["fibsd.db", "fibsd.db-shm", "fibsd.db-wal"]
        assert run("backup", "copy.db")[0] == 0
    assert names(directory / "copy.db") == ["zoe"]


def test_backup_of_an_old_version(directory: Path) -> None:
    """Before an upgrade is the time for one."""
    with closing(sqlite3.connect(directory / "fibsd.db")) as connection:
        connection.executescript(VERSION_1.read_text(encoding="utf-8"))
    assert run("backup", "copy.db")[0] == 0
    assert names(directory / "copy.db") == ["Ann", "bob"]


def test_backup_to_a_name_that_is_taken(directory: Path) -> None:
    """By whatever: it is not overwritten."""
    make(directory / "fibsd.db", "ann")
    (directory / "copy.db").write_text("precious")
    (directory / "link.db").symlink_to("nowhere")
    assert refused("backup", "copy.db") == f"{directory / 'copy.db'} exists already"
    assert refused("backup", "link.db") == f"{directory / 'link.db'} exists already"
    assert (directory / "copy.db").read_text() == "precious"
    assert files(directory) == ["copy.db", "fibsd.db", "link.db"]


def test_backup_to_a_name_that_is_taken_meanwhile(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Looked at again at the end."""
    make(directory / "fibsd.db", "ann")
    monkeypatch.setattr(module, "_make_safe", lambda part: (directory / "copy.db").write_text("precious"))
    assert "exists already" in refused("backup", "copy.db")
    assert (directory / "copy.db").read_text() == "precious"
    assert files(directory) == ["copy.db", "fibsd.db"]


def test_backup_that_cannot_be_made(directory: Path) -> None:
    """One line, and nothing is left behind."""
    assert refused("backup", "copy.db") == f"there is no {directory / 'fibsd.db'}"
    make(directory / "fibsd.db", "ann")
    assert "No such file or directory" in refused("backup", "missing/copy.db")
    (directory / "fibsd.db").write_bytes(b"no database" * 1000)
    assert "file is not a database" in refused("backup", "copy.db")
    assert files(directory) == ["fibsd.db"]


def test_backup_of_what_is_no_file(directory: Path) -> None:
    """PostgreSQL has its own program for that."""
    assert "memory: is no database" in refused("backup", "--database", "memory:", "copy.db")
    pytest.importorskip("psycopg")
    said = refused("backup", "--database", "postgresql:///games", "copy.db")
    assert said == "for PostgreSQL use its own programs: pg_dump --format=custom --file=FILE URL"
    said = refused("restore", "--database", "postgresql:///games", "copy.db")
    assert said.startswith("for PostgreSQL use its own programs: pg_restore --clean ")


# --- restore ---------------------------------------------------------------------------------------------------


@pytest.fixture
def saved(directory: Path) -> Path:
    """A backup with Ann and bob; the database is gone."""
    make(directory / "fibsd.db", "ann", "bob")
    assert run("backup", "copy.db")[0] == 0
    (directory / "fibsd.db").unlink()
    return directory / "copy.db"


def test_restored_database_is_served(saved: Path) -> None:
    """It is private, and the backup stays as it was."""
    before = saved.read_bytes()
    assert run("restore", saved) == (0, f"Database: version {module.schema.HEAD}\n", "")
    path = saved.with_name("fibsd.db")
    assert names(path) == ["ann", "bob"]
    assert path.stat().st_mode & 0o777 == 0o600
    assert saved.read_bytes() == before
    assert files(saved.parent) == ["copy.db", "fibsd.db"]
    store = open_store("sqlite:///fibsd.db", serve=True)
    trio.run(store.close, 1.0)


def test_data_are_replaced_by_force_only(saved: Path) -> None:
    """All of them, also what a crash has left in the log; an empty database needs no force."""
    path = saved.with_name("fibsd.db")
    make(path)
    assert run("restore", saved)[0] == 0
    with closing(sqlite.connect(path)) as connection:
        connection.execute("UPDATE accounts SET name = 'zoe', key = 'zoe' WHERE name = 'ann'")
        assert refused("restore", saved) == f"{path} has data already, which would be lost: see --force"
        assert run("restore", "--force", saved)[0] == 0
        assert names(path) == ["ann", "bob"]
    assert names(path) == ["ann", "bob"]
    assert files(saved.parent) == ["copy.db", "fibsd.db"]


def test_database_of_a_running_server_is_not_replaced(saved: Path) -> None:
    """Not by force either."""
    make(saved.with_name("fibsd.db"), "eve")
    store = open_store("sqlite:///fibsd.db", serve=True)
    for force in ((), ("--force",)):
        assert "another server (process" in refused("restore", *force, saved)
    trio.run(store.close, 1.0)
    assert names(saved.with_name("fibsd.db")) == ["eve"]


def _truncate(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:20_000])


def _scribble(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[8192:20000] = b"\xff" * (20000 - 8192)
    file.write_bytes(data)


def _orphan(file: Path) -> None:
    _sql(file, "INSERT INTO journal VALUES (7, 0, 'x', 1.0)")


def _sql(file: Path, script: str) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(script)


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (_truncate, "malformed"),
        (_scribble, "copy.db is damaged: "),
        (_orphan, "copy.db is damaged: a row refers to a missing one"),
        (lambda file: file.write_bytes(b"text" * 1000), "file is not a database"),
        (lambda file: file.write_bytes(b""), "copy.db is empty"),
        (lambda file: file.unlink(), "there is no copy.db"),
        (lambda file: _sql(file, "UPDATE alembic_version SET version_num = '9999'"), "run a newer program"),
        (lambda file: _sql(file, "DROP TABLE alembic_version"), "no version of ours"),
    ],
)
def test_bad_backup_is_refused(saved: Path, damage: Callable[[Path], object], complaint: str) -> None:
    """Before anything is changed or made."""
    damage(saved)
    assert complaint in refused("restore", "copy.db")
    assert "fibsd.db" not in files(saved.parent)
    make(saved.with_name("fibsd.db"), "eve")
    assert complaint in refused("restore", "--force", "copy.db")
    assert names(saved.with_name("fibsd.db")) == ["eve"]


def test_backup_of_an_old_version_is_restored(directory: Path) -> None:
    """With a word on what comes next."""
    _sql(directory / "copy.db", VERSION_1.read_text(encoding="utf-8"))
    assert run("restore", "copy.db") == (0, "Database: version 0001: run `fibsd db upgrade`\n", "")
    assert run("db", "upgrade")[0] == 0
    assert names(directory / "fibsd.db") == ["Ann", "bob"]


def test_copy_made_by_other_means_is_restored(directory: Path) -> None:
    """With a log beside it."""
    make(directory / "other.db", "ann")
    with closing(sqlite.connect(directory / "other.db")) as connection:
        connection.execute("UPDATE accounts SET name = 'zoe', key = 'zoe'")
        for suffix in ("", "-wal"):
            shutil.copy(directory / f"other.db{suffix}", directory / f"copy.db{suffix}")
    assert run("restore", "copy.db")[0] == 0
    assert names(directory / "fibsd.db") == ["zoe"]


def test_damaged_database_is_replaced_by_force(saved: Path) -> None:
    """If it still is one; else it must be moved away first."""
    path = saved.with_name("fibsd.db")
    make(path, *(f"user_{letter}" for letter in "abcdefghij"))
    _scribble(path)
    refused("restore", saved)
    assert run("restore", "--force", saved)[0] == 0
    assert names(path) == ["ann", "bob"]
    path.write_bytes(b"text" * 1000)
    assert "file is not a database" in refused("restore", "--force", saved)
    path.unlink()
    assert run("restore", saved)[0] == 0


def test_restoration_that_breaks_off_changes_nothing(saved: Path) -> None:
    """Here for want of the right size of pages."""
    path = saved.with_name("fibsd.db")
    _sql(path, "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL")
    make(path, "eve")
    assert "cannot copy" in refused("restore", "--force", saved)
    assert names(path) == ["eve"]


def test_database_that_another_program_has_locked(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is waited for, but not for ever."""
    path = saved.with_name("fibsd.db")
    make(path, "eve")
    monkeypatch.setattr(module, "PATIENT_MS", 50)
    monkeypatch.setattr(module, "_check_replaceable", lambda database, force: None)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert "database is locked" in refused("restore", "--force", saved)
    assert names(path) == ["eve"]


def test_database_of_somebody_else_is_left_alone(saved: Path) -> None:
    """By force, too."""
    _sql(saved.with_name("fibsd.db"), "CREATE TABLE songs (title TEXT)")
    assert "no version of ours" in refused("restore", "--force", saved)


def test_database_is_not_its_own_backup(directory: Path) -> None:
    """By whatever way."""
    make(directory / "fibsd.db", "ann")
    (directory / "link.db").symlink_to("fibsd.db")
    assert "is the database itself" in refused("restore", "--force", "link.db")


# --- health ----------------------------------------------------------------------------------------------------


@contextmanager
def _listening(says: Sequence[bytes], host: str = "127.0.0.1") -> Iterator[int]:
    """A server of one connection, which says this and waits for its end, or closes at an empty text."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            for text in says:
                if not text:
                    return
                connection.sendall(text)
            connection.recv(1)

    with socket.socket(family) as listener:
        listener.bind((host, 0))
        listener.listen()
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        thread.join(5)


def _configure(directory: Path, listen: str) -> None:
    (directory / "config.toml").write_text(f"[listen]\n{listen}\n")


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_server_that_greets(directory: Path, host: str) -> None:
    """At the first of its addresses; the prompt may come in pieces."""
    with _listening([b"Welcome\r\nlog", b"in: "]) as port:
        _configure(directory, f'clear = ["{host}:{port}", "127.0.0.1:1"]')
        assert run("health") == (0, f"{host}:{port}: ready for logins\n", "")


def test_server_at_every_address_of_the_newer_kind(directory: Path) -> None:
    """Has one of its own machine, too."""
    try:
        with _listening([b"login: "], "::1") as port:
            _configure(directory, f'clear = ["[::]:{port}"]')
            assert run("health")[0] == 0
    except OSError:
        pytest.skip("this machine has no IPv6")


@pytest.mark.parametrize(
    ("says", "complaint"),
    [
        ([b"Welcome\r\n"], "no login prompt within 0.2 seconds"),
        ([], "no login prompt within 0.2 seconds"),
        ([b"The server is\r\nfull.\r\n", b""], "no login prompt, but 'The server is\\r\\nfull.'"),
        ([b""], "no login prompt, but ''"),
        ([b"x" * 70_000, b""], "no login prompt, but 'xxx"),
    ],
)
def test_server_that_does_not_greet(directory: Path, says: Sequence[bytes], complaint: str) -> None:
    """One line and exit status 1, in time."""
    with _listening(says) as port:
        _configure(directory, f'clear = ["127.0.0.1:{port}"]')
        code, out, err = run("health", "--timeout", "0.2")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith(f"Error: 127.0.0.1:{port}: {complaint}")


def test_no_server(directory: Path) -> None:
    """One line and exit status 1."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        _configure(directory, f'clear = ["127.0.0.1:{port}"]')
        code, out, err = run("health")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert f"127.0.0.1:{port}" in err


def test_server_that_only_encrypts(directory: Path) -> None:
    """Is asked so; whose certificate it has does not matter here."""
    trustme = pytest.importorskip("trustme")
    authority = trustme.CA()
    certificate = authority.issue_cert("games.example.org")
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)

    def serve() -> None:
        connection, _ = listener.accept()
        with connection, context.wrap_socket(connection, server_side=True) as encrypted:
            encrypted.sendall(b"login: ")
            encrypted.recv(1)

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        _configure(directory, f'clear = []\ntls = ["127.0.0.1:{listener.getsockname()[1]}"]')
        with (directory / "config.toml").open("a") as config:
            config.write('[tls]\ncertificate = "c"\nkey = "k"\n')
        code, out, err = run("health")
        thread.join(5)
    assert (code, err) == (0, "")
    assert out.endswith(": ready for logins\n")
