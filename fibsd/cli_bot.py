"""The command `bot`: a program that plays on a server, this one's or another."""

import os
import re
import signal
import sys
from pathlib import Path

import click
import trio

from fibsd.bots.player import NotRegistered, Player, WrongPassword
from fibsd.config import parse_address

EXIT_REFUSED = 1
PASSWORD_VARIABLE = "FIBSD_BOT_PASSWORD"  # noqa: S105 - no password


@click.command()
@click.option("--name", required=True, help="Name of its account.")
@click.option("--engine", type=click.Choice(["builtin"]), default="builtin", show_default=True, help="What thinks.")
@click.option("--server", metavar="HOST:PORT", default="127.0.0.1:4321", show_default=True, help="Where it plays.")
@click.option(
    "--password-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="File whose first line is the password. Default: $FIBSD_BOT_PASSWORD, else the first line of standard input.",
)
@click.option("--register", is_flag=True, help="Make the account if the server does not know it.")
@click.option("--end-with-input", is_flag=True, help="End when standard input ends, as it does with the parent.")
def bot(name: str, engine: str, server: str, password_file: Path | None, register: bool, end_with_input: bool) -> None:
    """Play on a server as a user called NAME, with everybody who invites it, until told to stop."""
    try:
        host, port = parse_address(server)
    except ValueError as error:
        raise click.ClickException(f"--server {error}") from error
    if not re.fullmatch("[A-Za-z_]+", name):
        raise click.ClickException("a name has only letters and '_'")
    player = Player(
        host=host,
        port=port,
        name=name,
        password=_password(password_file),
        register=register,
        tell=lambda text: click.echo(f"{name}: {text}", err=True),
    )
    try:
        trio.run(_until_signal, player, end_with_input)
    except* (WrongPassword, NotRegistered) as group:
        click.echo(f"{name}: {group.exceptions[0]}", err=True)
        sys.exit(EXIT_REFUSED)


def _password(file: Path | None) -> str:
    """From the file, the environment, or standard input, in this order.

    Raises:
        click.ClickException: It is none, or cannot be read.
    """
    if file is not None:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise click.ClickException(f"{file}: cannot be read: {error}") from error
    elif (given := os.environ.get(PASSWORD_VARIABLE)) is not None:
        text = given
    elif sys.stdin.isatty():
        text = str(click.prompt("Password", hide_input=True))
    else:
        text = sys.stdin.readline()
    password = text.partition("\n")[0].rstrip("\r")
    if not re.fullmatch("[!-~]+", password):
        raise click.ClickException("the password must be of ASCII letters and signs, without blanks")
    return password


async def _until_signal(player: Player, end_with_input: bool) -> None:
    """Play until a signal, or the end of standard input if that is wanted."""
    async with trio.open_nursery() as nursery:
        if end_with_input:
            nursery.start_soon(_end_of_input, nursery.cancel_scope)
        nursery.start_soon(player.play)
        with trio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
            async for _ in signals:
                nursery.cancel_scope.cancel()


async def _end_of_input(scope: trio.CancelScope) -> None:
    async with trio.lowlevel.FdStream(os.dup(sys.stdin.fileno())) as stream:
        async for _ in stream:
            pass
    scope.cancel()


if __name__ == "__main__":
    # So a resident bot runs without what the other commands load: half the memory, and it is there sooner.
    bot()
