"""The command line: serve, check-config, user, bot, db, backup, restore, health."""

import os
import re
import signal
import socket
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar

import attrs
import click
import trio

from fibsd import __version__
from fibsd.cli_bot import bot
from fibsd.config import Config, ConfigError, Database, Log, find_config, load_config, parse_address
from fibsd.storage.sql import open_store
from fibsd.storage.store import Job, Outcome, Store, StoreError
from fibsd.world.account import Account
from fibsd.world.changes import AccountCreated, Change, PasswordChanged, RecoveryChanged
from fibsd.world.ids import NAME_LIMIT, RESERVED_NAMES, UserName

if TYPE_CHECKING:
    from fibsd.server.measure import Monitor

T = TypeVar("T")

EXIT_CONFIG = 2
EXIT_STORE = 3
EXIT_NOT_STORED = 4
CLOSE_S = 10.0


def _config(path: str | None, *, files: bool = False) -> Config:
    """The configuration, or every fault of it, and of the files that it names if so wanted, and exit status 2."""
    try:
        config = load_config(find_config(path, os.environ.get("FIBSD_CONFIG")))
        if files:
            from fibsd.server.files import read_files

            read_files(config)
        return config
    except ConfigError as error:
        _refuse(error)


def _refuse(error: ConfigError) -> NoReturn:
    """Every fault in a line, and exit status 2."""
    for fault in error.faults:
        click.echo(fault, err=True)
    sys.exit(EXIT_CONFIG)


def _open(url: str, *, serve: bool = False) -> Store:
    """The store, or one line and exit status 3."""
    try:
        return open_store(url, serve=serve)
    except StoreError as error:
        click.echo(str(error), err=True)
    sys.exit(EXIT_STORE)


config_option = click.option(
    "--config",
    "path",
    metavar="FILE",
    help="Configuration file. Default: $FIBSD_CONFIG, ./config.toml, /etc/fibsd/config.toml.",
)
database_option = click.option("--database", metavar="URL", help="URL of the database, instead of the file's.")


@click.group(invoke_without_command=True)
@click.version_option(__version__, prog_name="fibsd")
@click.pass_context
def main(context: click.Context) -> None:
    """fibsd: a server for FIBS, the line protocol of the First Internet Backgammon Server."""
    if context.invoked_subcommand is None:
        context.invoke(serve)


main.add_command(bot)


@main.command()
@config_option
@click.option("--listen", "addresses", multiple=True, metavar="HOST:PORT", help="Listen here instead. Repeatable.")
@database_option
def serve(path: str | None = None, addresses: tuple[str, ...] = (), database: str | None = None) -> None:
    """Run the server until it is told to stop (this is the default command)."""
    from fibsd.observe import log
    from fibsd.server.app import App
    from fibsd.server.collector import Collector
    from fibsd.server.dice import SystemChance
    from fibsd.server.listeners import shown_address
    from fibsd.server.notify import Notifier
    from fibsd.server.passwords import ArgonPasswords

    config = _overridden(_config(path, files=True), addresses, database)

    def log_as(wanted: Log) -> None:
        log.configure(wanted.level, wanted.format, addresses=wanted.addresses)

    log_as(config.log)
    store = _open(config.database.url, serve=True)
    # Until the server waits for this signal, it must not be ended by it.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    listeners, tls = _listeners(config.listen.clear), _listeners(config.listen.tls)
    monitor = _monitor(config.metrics.listen)
    operator = _operator_socket(config.admin.socket)
    file = find_config(path, os.environ.get("FIBSD_CONFIG"))
    app = App(
        config=config,
        store=store,
        passwords=ArgonPasswords(config.auth),
        chance=SystemChance(),
        read_again=lambda: _overridden(load_config(file), addresses, database),
        log_as=log_as,
        notifier=Notifier.from_environment(os.environ),
        monitor=monitor,
        collector=Collector(time.monotonic),
    )

    def announce() -> None:
        for listener in listeners:
            click.echo(f"fibsd {__version__} listens on {shown_address(listener)}")
        for listener in tls:
            click.echo(f"fibsd {__version__} listens on {shown_address(listener)}, TLS")

    try:
        stored = trio.run(partial(app.run, listeners, operator, tls=tls, ready=announce))
    except ConfigError as error:
        _refuse(error)
    finally:
        if operator is not None:
            operator.close()
            Path(config.admin.socket).unlink(missing_ok=True)
    if not stored:
        click.echo("The last changes could not be stored.", err=True)
        sys.exit(EXIT_NOT_STORED)


def _listeners(addresses: tuple[str, ...]) -> list[socket.socket]:
    """Listening sockets, or one line and exit status 3."""
    from fibsd.server.listeners import open_listeners

    try:
        return open_listeners(addresses)
    except OSError as error:
        click.echo(f"cannot listen: {error}", err=True)
        sys.exit(EXIT_STORE)


def _monitor(address: str) -> "Monitor | None":
    """What counts and shows figures, if that is wanted; or one line and exit status 3."""
    if not address:
        return None
    # Only here: it takes time and memory that servers without it can do without.
    from fibsd.server.listeners import shown_address
    from fibsd.server.measure import Monitor

    listeners = _listeners((address,))
    for listener in listeners:
        click.echo(f"fibsd {__version__} shows figures on {shown_address(listener)}")
    return Monitor(listeners)


def _operator_socket(path: str) -> socket.socket | None:
    """The socket for `fibsd admin`, or one line and exit status 3."""
    from fibsd.server.operator import open_operator_socket

    try:
        return open_operator_socket(path) if path else None
    except OSError as error:
        click.echo(f"cannot open the admin socket {path}: {error}", err=True)
        sys.exit(EXIT_STORE)


@main.command(context_settings={"ignore_unknown_options": True})
@config_option
@click.argument("words", nargs=-1)
def admin(path: str | None, words: tuple[str, ...]) -> None:
    """Administer the running server: `fibsd admin help` lists what can be done."""
    from fibsd.server.operator import ask_operator_socket

    place = _config(path).admin.socket
    if not place:
        raise click.ClickException("the configuration names no admin socket")
    try:
        click.echo(ask_operator_socket(place, " ".join(words) or "help"), nl=False)
    except OSError as error:
        raise click.ClickException(f"no server answers at {place}: {error}") from error


def _overridden(config: Config, addresses: tuple[str, ...], database: str | None) -> Config:
    try:
        for address in addresses:
            parse_address(address)
    except ValueError as error:
        click.echo(f"--listen: {error}", err=True)
        sys.exit(EXIT_CONFIG)
    if addresses:
        config = attrs.evolve(config, listen=attrs.evolve(config.listen, clear=addresses))
    return attrs.evolve(config, database=Database(url=database)) if database else config


@main.command("check-config")
@config_option
def check_config(path: str | None) -> None:
    """Read the configuration and list everything that is wrong in it."""
    file = find_config(path, os.environ.get("FIBSD_CONFIG"))
    _config(path, files=True)
    click.echo(f"{file or 'built-in defaults'}: no faults")


# --- accounts --------------------------------------------------------------------------------------------------


@main.group()
def user() -> None:
    """Add accounts, change passwords, list accounts."""


def _with_store(url: str, work: Callable[[Store], Awaitable[T]]) -> T:
    """Do some work on the store; a server may run meanwhile."""

    async def run() -> T:
        store = _open(url)
        try:
            return await work(store)
        finally:
            await store.close(CLOSE_S)

    return trio.run(run)


async def _submit(changes: tuple[Change, ...], store: Store) -> None:
    """Store these changes as one job, or raise `StoreError`."""
    done = trio.Event()
    outcomes: list[Outcome] = []

    def settle(arrived: Sequence[Outcome]) -> None:
        outcomes.extend(arrived)
        done.set()

    store.start(settle)
    store.submit(Job(number=1, changes=changes))
    await done.wait()
    if outcomes[0].error is not None:
        raise outcomes[0].error


def _read_password() -> str:
    """A password from the terminal, asked for twice, or the first line of standard input."""
    if sys.stdin.isatty():
        return str(click.prompt("Password", hide_input=True, confirmation_prompt=True))
    return sys.stdin.readline().rstrip("\r\n")


def _hashed(config: Config, password: str) -> str:
    from fibsd.server.passwords import ArgonPasswords

    if len(password) < 4 or ":" in password:
        raise click.ClickException("a password has at least 4 characters and no ':'")
    return ArgonPasswords(config.auth).hash_now(password)


@user.command("add")
@config_option
@database_option
@click.argument("name")
def user_add(path: str | None, database: str | None, name: str) -> None:
    """Create an account; the password comes from the terminal or from standard input."""
    from fibsd.server.app import wall_clock

    config = _overridden(_config(path), (), database)
    if not re.fullmatch(r"[A-Za-z_]+", name, re.ASCII) or len(name) > NAME_LIMIT:
        raise click.ClickException(f"a name has only letters and '_', at most {NAME_LIMIT}")
    if name.lower() in RESERVED_NAMES:
        raise click.ClickException(f"'{name}' is reserved")
    account = Account(name=UserName(name), password_hash=_hashed(config, _read_password()), created=wall_clock())
    if _with_store(config.database.url, lambda store: store.account(name)) is not None:
        raise click.ClickException(f"'{name}' is already used by someone else")
    try:
        _with_store(config.database.url, partial(_submit, (AccountCreated(account=account),)))
    except StoreError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"Account {name} created.")


@user.command("passwd")
@config_option
@database_option
@click.argument("name")
def user_passwd(path: str | None, database: str | None, name: str) -> None:
    """Give an account a new password; its recovery code ends."""
    config = _overridden(_config(path), (), database)
    account = _with_store(config.database.url, lambda store: store.account(name))
    if account is None:
        raise click.ClickException(f"there is no account {name}")
    changes = (
        PasswordChanged(name=account.name, password_hash=_hashed(config, _read_password())),
        # Somebody else may have made it.
        RecoveryChanged(name=account.name, recovery_hash=None),
    )
    _with_store(config.database.url, partial(_submit, changes))
    click.echo(f"Password of {account.name} changed.")


@user.command("list")
@config_option
@database_option
def user_list(path: str | None, database: str | None) -> None:
    """List all accounts: name, rating, experience."""
    config = _overridden(_config(path), (), database)
    for account in _with_store(config.database.url, lambda store: store.accounts()):
        click.echo(f"{account.name:<20} {account.rating:8.2f} {account.experience:6d}")


# --- database --------------------------------------------------------------------------------------------------


@main.group()
def db() -> None:
    """Look after the database."""


@db.command("upgrade")
@config_option
@database_option
def db_upgrade(path: str | None, database: str | None) -> None:
    """Bring the database to the version of this program; stop the server and make a copy first."""
    from fibsd.storage.schema import upgrade

    config = _overridden(_config(path), (), database)
    try:
        old, new = upgrade(config.database.url)
    except StoreError as error:
        click.echo(str(error), err=True)
        sys.exit(EXIT_STORE)
    click.echo(f"Database: version {old} -> {new}" if old != new else f"Database: version {new}, nothing to do")


def _tell(work: Callable[[], str]) -> None:
    """Print what comes of some work on the database, or one line and exit status 3."""
    try:
        click.echo(work())
    except StoreError as error:
        click.echo(str(error), err=True)
        sys.exit(EXIT_STORE)


@db.command("copy")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
def db_copy(source: str, target: str) -> None:
    """Copy all data from one database URL to another, which must be empty; stop the server first."""
    from fibsd.cli_db import copy_database

    _tell(partial(copy_database, source, target))


@main.command()
@config_option
@database_option
@click.argument("file", type=click.Path(path_type=Path))
def backup(path: str | None, database: str | None, file: Path) -> None:
    """Copy the database into a new FILE; the server may run."""
    from fibsd.cli_db import back_up

    _tell(partial(back_up, _overridden(_config(path), (), database).database.url, file))


@main.command()
@config_option
@database_option
@click.option("--force", is_flag=True, help="Replace the data that the database has.")
@click.argument("file", type=click.Path(path_type=Path))
def restore(path: str | None, database: str | None, force: bool, file: Path) -> None:
    """Make the database what FILE, a backup, has; stop the server first."""
    from fibsd.cli_db import put_back

    _tell(partial(put_back, _overridden(_config(path), (), database).database.url, file, force=force))


@main.command()
@config_option
@click.option("--timeout", "timeout_s", metavar="SECONDS", default=5.0, show_default=True, type=click.FloatRange(min=0))
def health(path: str | None, timeout_s: float) -> None:
    """See whether the server greets at its first address: exit status 0 if it does, else 1."""
    from fibsd.cli_db import health

    click.echo(health(_config(path).listen, timeout_s))
