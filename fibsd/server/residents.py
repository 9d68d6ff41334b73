"""Bots that live beside the server: their accounts, and a process for each of them.

They come in at the door like everybody else. Their passwords are new at each start and known to nobody: they
are handed over by a pipe, which also tells a bot by its end that the server is gone.
"""

import contextlib
import ipaddress
import secrets
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence

import attrs
import structlog
import trio

from fibsd.config import Bot, Config, ConfigError
from fibsd.server.engine import Engine
from fibsd.server.settings import proxies
from fibsd.values import frozen
from fibsd.world.account import Account
from fibsd.world.changes import AccountCreated, PasswordChanged
from fibsd.world.ids import RESERVED_NAMES, UserName

log = structlog.get_logger()

BOT = "bot"
"""The right that tells an account of a bot from those of users."""
PAUSE_S, LONGEST_PAUSE_S = 1.0, 60.0
"""The first pause before a bot that has ended is begun again, doubled each time up to the longest."""
STEADY_S = 60.0
"""A bot that lived so long is begun again after the first pause."""
END_S = 3.0
"""So long a bot may take to end before it is killed."""
LINE_LIMIT = 1000


def door(listeners: Sequence[socket.socket], config: Config) -> tuple[str, int]:
    """Where a process on this machine can connect without TLS and without a proxy.

    Raises:
        ConfigError: Nowhere.
    """
    behind = proxies(config)
    for listener in listeners:
        host, port = listener.getsockname()[:2]
        address = ipaddress.ip_address(host)
        if address.is_unspecified:
            address = ipaddress.ip_address("127.0.0.1" if address.version == 4 else "::1")
        if address.is_loopback and not any(address in network for network in behind):
            return str(address), port
    raise ConfigError(["bots: they need an address of this machine in listen.clear, and not in listen.proxy_from"])


async def open_accounts(engine: Engine, bots: Sequence[Bot]) -> Mapping[UserName, str]:
    """Give each bot an account, and every account a new password; the passwords by name.

    Raises:
        ConfigError: A name belongs to a user, or nothing can be stored. Accounts of other bots may have been made.
    """
    passwords = {}
    for bot in bots:
        account = await engine.store.account(bot.name)
        if bot.name.lower() in RESERVED_NAMES or (account is not None and BOT not in account.rights):
            raise ConfigError([f"bots: the name {bot.name} belongs to somebody who is no bot"])
        password = secrets.token_urlsafe(24)
        hashed = await engine.passwords.hash(password)
        if account is None:
            account = Account(
                name=UserName(bot.name), password_hash=hashed, created=engine.now(), rights=frozenset({BOT})
            )
            stored = await engine.store_now(AccountCreated(account=account))
        else:
            stored = await engine.store_now(PasswordChanged(name=account.name, password_hash=hashed))
        if not stored:
            raise ConfigError([f"bots: the account {bot.name} cannot be stored"])
        passwords[account.name] = password
    return passwords


@frozen(kw_only=True)
class Resident:
    """One bot.

    Attributes:
        name: Of its account.
        engine: What thinks for it.
        password: For this start of the server.
        address: Where it connects.
    """

    name: UserName
    engine: str
    password: str = attrs.field(repr=False)
    address: tuple[str, int]

    async def live(self) -> None:
        """Run its process, and again after a while when it has ended, until cancelled."""
        pause = PAUSE_S
        while True:
            began = trio.current_time()
            try:
                status = await self._run()
                log.warning("bot ended", bot=self.name, status=status, again_in_s=pause)
            except OSError as error:
                log.warning("bot cannot be started", bot=self.name, reason=str(error), again_in_s=pause)
            if trio.current_time() - began >= STEADY_S:
                pause = PAUSE_S
            await trio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_S)

    async def _run(self) -> int:
        """Its life as a process; the exit status."""
        host, port = self.address
        server = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        command = [sys.executable, "-m", "fibsd.cli_bot", "--name", self.name, "--engine", self.engine]
        process = await trio.lowlevel.open_process(
            [*command, "--server", server, "--end-with-input"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        log.info("bot started", bot=self.name, pid=process.pid)
        try:
            if process.stdin is not None and process.stdout is not None:
                with contextlib.suppress(trio.BrokenResourceError):
                    await process.stdin.send_all(f"{self.password}\n".encode())
                await self._listen(process.stdout)
            return await process.wait()
        finally:
            await _end(process)

    async def _listen(self, output: trio.abc.ReceiveStream) -> None:
        """Log what it says, until it has closed its output."""
        pending = b""
        async for data in output:
            *lines, pending = (pending + bytes(data)).split(b"\n")
            for line in lines:
                log.info("bot says", bot=self.name, text=line[:LINE_LIMIT].decode(errors="replace"))
            pending = pending[:LINE_LIMIT]


async def _end(process: trio.Process) -> None:
    """See that the process is gone, politely first."""
    with trio.CancelScope(shield=True):
        if process.returncode is None:
            process.terminate()
            with trio.move_on_after(END_S):
                await process.wait()
        if process.returncode is None:
            process.kill()
            await process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                await pipe.aclose()


async def house(engine: Engine, config: Config, listeners: Sequence[socket.socket]) -> list[Resident]:
    """All bots of the configuration, with accounts, ready to live.

    Raises:
        ConfigError: One of them cannot.
    """
    if not config.bots:
        return []
    address = door(listeners, config)
    passwords = await open_accounts(engine, config.bots)
    return [
        Resident(name=name, engine=bot.engine, password=password, address=address)
        for bot, (name, password) in zip(config.bots, passwords.items(), strict=True)
    ]
