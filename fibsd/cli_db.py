"""What the commands `db copy`, `backup`, `restore` and `health` do; each gives the text to print."""

import ipaddress
import ssl
import sys
from pathlib import Path

import click
import trio

from fibsd.config import Listen, parse_address
from fibsd.protocol.proxy import LOCAL_HEADER
from fibsd.storage.backup import backup, restore
from fibsd.storage.copy import copy
from fibsd.storage.schema import HEAD

FROM_HERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - a server that listens everywhere listens here
BANNER_LIMIT = 65_536


def copy_database(source: str, target: str) -> str:
    """Copy one database to another, with progress if somebody looks on; see `copy`."""
    counts = copy(source, target, show_progress if sys.stderr.isatty() else lambda *_: None)
    lines = [f"{table:<16}{rows:>10}" for table, rows in counts.items()]
    return "\n".join([*lines, f"Copied {sum(counts.values())} rows; each table has as many as in the source."])


def show_progress(table: str, done: int, total: int) -> None:
    """Write over the line of this table."""
    click.echo(f"\r{table}: {done} of {total} rows", nl=done == total, err=True)


def back_up(url: str, file: Path) -> str:
    """Copy the database into a file; see `backup`."""
    return f"{file}: {backup(url, file)} bytes"


def put_back(url: str, file: Path, *, force: bool) -> str:
    """Copy a file into the database; see `restore`."""
    version = restore(url, file, force=force)
    return f"Database: version {version}" + ("" if version == HEAD else ": run `fibsd db upgrade`")


def health(listen: Listen, timeout_s: float) -> str:
    """See whether the server greets at its first address.

    Raises:
        click.ClickException: It does not.
    """
    address = (*listen.clear, *listen.tls)[0]
    try:
        trio.run(_greeting, address, listen, timeout_s)
    except trio.TooSlowError:
        raise click.ClickException(f"{address}: no login prompt within {timeout_s:g} seconds") from None
    except (OSError, trio.BrokenResourceError) as error:
        raise click.ClickException(f"{address}: {error or 'the connection broke'}") from error
    return f"{address}: ready for logins"


async def _greeting(address: str, listen: Listen, timeout_s: float) -> None:
    """Wait for the login prompt; raises `OSError` if none will come."""
    host, port = parse_address(address)
    seen = b""
    with trio.fail_after(timeout_s):
        tcp = await trio.open_tcp_stream(FROM_HERE.get(host, host), port)
        stream: trio.abc.Stream = tcp
        own = ipaddress.ip_address(tcp.socket.getsockname()[0])
        if any(own in ipaddress.ip_network(network) for network in listen.proxy_from):
            await stream.send_all(LOCAL_HEADER)
        if not listen.clear:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname = False  # the certificate is for the name that clients use
            context.verify_mode = ssl.CERT_NONE
            stream = trio.SSLStream(stream, context, https_compatible=True)
        async with stream:
            while b"login: " not in seen:
                data = await stream.receive_some()
                seen += data
                if not data or len(seen) > BANNER_LIMIT:
                    raise OSError("no login prompt, but " + repr(seen[-60:].decode(errors="replace").strip()))
