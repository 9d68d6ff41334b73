"""The commands for the operator."""

import contextlib
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fibsd import __version__
from fibsd.cli import main
from fibsd.storage.schema import HEAD
from tests.support.process import CHEAP

OLD_DATABASE = Path(__file__).parent / "data" / "schema-0001.sql"


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty one to work in, with a configuration."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FIBSD_CONFIG", raising=False)
    (tmp_path / "config.toml").write_text(f'{CHEAP}[database]\nurl = "sqlite:///fibsd.db"\n')
    return tmp_path


def run(*arguments: str, typed: str = "") -> Result:
    """Run a command to its end."""
    return CliRunner().invoke(main, arguments, input=typed)


def said(result: Result) -> tuple[int, str, str]:
    """What came of it: exit status, standard output, standard error."""
    return result.exit_code, result.stdout, result.stderr


def test_version() -> None:
    """Of the program."""
    assert said(run("--version")) == (0, f"fibsd, version {__version__}\n", "")


def test_accounts_are_added_and_listed(directory: Path) -> None:
    """In the order of their names, whatever the letter case."""
    assert said(run("user", "list")) == (0, "", "")
    for name in ("bob", "Ann", "eve_"):
        assert said(run("user", "add", name, typed="secret\n")) == (0, f"Account {name} created.\n", "")
    lines = run("user", "list").stdout.splitlines()
    assert lines == [f"{name:<20}  1500.00      0" for name in ("Ann", "bob", "eve_")]


@pytest.mark.parametrize(
    ("name", "typed", "complaint"),
    [
        ("ANN", "secret\n", "'ANN' is already used by someone else"),
        ("guest", "secret\n", "'guest' is reserved"),
        ("a-b", "secret\n", "a name has only letters and '_', at most 20"),
        ("a" * 21, "secret\n", "a name has only letters and '_', at most 20"),
        ("bob", "abc\n", "a password has at least 4 characters and no ':'"),
        ("bob", "a:bcd\n", "a password has at least 4 characters and no ':'"),
        ("bob", "", "a password has at least 4 characters and no ':'"),
    ],
)
def test_account_that_cannot_be_added(directory: Path, name: str, typed: str, complaint: str) -> None:
    """The same rules as for those who register themselves."""
    run("user", "add", "ann", typed="secret\n")
    assert said(run("user", "add", name, typed=typed)) == (1, "", f"Error: {complaint}\n")
    assert len(run("user", "list").stdout.splitlines()) == 1


def test_new_password(directory: Path) -> None:
    """Found in any letter case; the stored hash is another one, never the password itself; the recovery code ends."""
    run("user", "add", "ann", typed="secret\n")
    before = _hash(directory)
    _recovery(directory, "UPDATE accounts SET recovery_hash = 'x'")
    assert said(run("user", "passwd", "ANN", typed="another\n")) == (0, "Password of ann changed.\n", "")
    after = _hash(directory)
    assert before.startswith("$argon2id$")
    assert after.startswith("$argon2id$")
    assert before != after
    assert _recovery(directory) == [(None,)]
    assert said(run("user", "passwd", "bob", typed="another\n")) == (1, "", "Error: there is no account bob\n")


def _hash(directory: Path) -> str:
    database = sqlite3.connect(directory / "fibsd.db")
    try:
        (password_hash,) = database.execute("SELECT password_hash FROM accounts").fetchone()
    finally:
        database.close()
    return str(password_hash)


def _recovery(directory: Path, sql: str = "SELECT recovery_hash FROM accounts") -> list[tuple[str | None]]:
    with contextlib.closing(sqlite3.connect(directory / "fibsd.db", isolation_level=None)) as database:
        return database.execute(sql).fetchall()


def test_upgrade(directory: Path) -> None:
    """Of a database that needs none, and of one that is not there."""
    assert said(run("db", "upgrade"))[0] == 3
    run("user", "list")
    code, out, err = said(run("db", "upgrade"))
    assert (code, err) == (0, "")
    assert out.startswith("Database: version ")
    assert out.endswith(", nothing to do\n")


def test_upgrade_of_an_old_database(directory: Path) -> None:
    """Told from which version to which; afterwards its accounts can be used."""
    database = sqlite3.connect(directory / "fibsd.db")
    database.executescript(OLD_DATABASE.read_text())
    database.close()
    assert said(run("user", "list"))[0] == 3
    assert said(run("db", "upgrade")) == (0, f"Database: version 0001 -> {HEAD}\n", "")
    assert [line.split()[0] for line in run("user", "list").stdout.splitlines()] == ["Ann", "bob"]


@pytest.mark.parametrize("command", [("serve",), (), ("user", "list")])
def test_database_of_another_version(directory: Path, command: tuple[str, ...]) -> None:
    """One line that names the way out, and exit status 3; nothing is changed by itself."""
    run("user", "list")
    _set_version(directory, "0000")
    code, out, err = said(run(*command))
    assert (code, out) == (3, "")
    assert err.count("\n") == 1
    assert err.count("fibsd db upgrade") == 1


def test_database_of_a_newer_program(directory: Path) -> None:
    """No upgrade can help."""
    run("user", "list")
    _set_version(directory, "9999")
    code, _, err = said(run("serve"))
    assert code == 3
    assert "newer program" in err
    assert "upgrade" not in err


def _set_version(directory: Path, version: str) -> None:
    database = sqlite3.connect(directory / "fibsd.db")
    try:
        with database:
            database.execute("UPDATE alembic_version SET version_num = ?", (version,))
    finally:
        database.close()


@pytest.mark.parametrize("url", ["postgresql://x/y", "nonsense"])
def test_database_that_cannot_be_served(directory: Path, url: str) -> None:
    """One line and exit status 3."""
    code, out, err = said(run("serve", "--database", url))
    assert (code, out) == (3, "")
    assert err.count("\n") == 1


def test_listen_address_that_is_none(directory: Path) -> None:
    """It is a fault of the configuration."""
    code, out, err = said(run("serve", "--listen", "127.0.0.1"))
    assert (code, out) == (2, "")
    assert err.startswith("--listen: must be HOST:PORT")
    assert err.count("\n") == 1


def test_configuration_without_faults(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer names the file that was read."""
    assert said(run("check-config")) == (0, "config.toml: no faults\n", "")
    other = directory / "other.toml"
    other.write_text("")
    monkeypatch.setenv("FIBSD_CONFIG", str(other))
    assert said(run("check-config")) == (0, f"{other}: no faults\n", "")
    assert said(run("check-config", "--config", "config.toml")) == (0, "config.toml: no faults\n", "")


def test_configuration_that_is_not_there(directory: Path) -> None:
    """Exit status 2."""
    code, out, err = said(run("check-config", "--config", "missing.toml"))
    assert (code, out) == (2, "")
    assert err.startswith("missing.toml: ")
