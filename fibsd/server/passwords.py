"""Password hashes: Argon2id, made in threads of their own so that nobody's move waits for a login."""

import contextlib
import os
import secrets
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TypeVar

import argon2
import attrs
import structlog
import trio

from fibsd.commands.call import Passwords
from fibsd.config import Auth
from fibsd.server.guard import Guard
from fibsd.world.lobby import Presence

log = structlog.get_logger()

T = TypeVar("T")

NICENESS = 10
"""How far hashes stand back: at the same priority each would keep the loop waiting for milliseconds."""


class ArgonPasswords:
    """Hashes with the cost that the configuration sets."""

    def __init__(self, auth: Auth) -> None:
        self._hasher = argon2.PasswordHasher(
            time_cost=auth.time_cost, memory_cost=auth.memory_kib, parallelism=auth.parallelism
        )
        # Not trio's threads: those do other things, too, and without privileges no thread gets its priority back.
        self._threads = ThreadPoolExecutor(auth.threads, "password", _stand_back)

    async def verify(self, password_hash: str, password: str) -> bool:
        """Whether the password fits the hash; False for a hash that is none."""
        return await self._in_thread(lambda: self.verify_now(password_hash, password))

    async def hash(self, password: str) -> str:
        """A new hash."""
        return await self._in_thread(lambda: self._hasher.hash(password))

    def outdated(self, password_hash: str) -> bool:
        """Whether the hash was made at another cost than is set now."""
        return self._hasher.check_needs_rehash(password_hash)

    def new_code(self) -> str:
        """A recovery code that nobody can guess and that is easy to write down: 120 bits in six groups."""
        # 32 letters, each taken for no other: no I, O, 0 or 1.
        letters = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
        return "-".join("".join(secrets.choice(letters) for _ in range(4)) for _ in range(6))

    def verify_now(self, password_hash: str, password: str) -> bool:
        """The same as `verify`, on the calling thread."""
        try:
            return self._hasher.verify(password_hash, password)
        except (argon2.exceptions.VerificationError, argon2.exceptions.InvalidHashError):
            return False

    def hash_now(self, password: str) -> str:
        """The same as `hash`, on the calling thread."""
        return self._hasher.hash(password)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        """Do it when its turn has come; never, if the caller is cancelled before that."""
        done = trio.Event()
        token = trio.lowlevel.current_trio_token()

        def tell(_: Future[T]) -> None:
            with contextlib.suppress(trio.RunFinishedError):
                token.run_sync_soon(done.set)

        future = self._threads.submit(work)
        future.add_done_callback(tell)
        try:
            await done.wait()
        finally:
            future.cancel()
        return future.result()


@attrs.define(eq=False, kw_only=True)
class OwnPasswords:
    """The passwords of users who are on-line, for whom a guess must be no cheaper than at the login.

    Their hashes are made one at a time for all of them together: they stand in the same queue as those of logins,
    and however many users ask, a login finds one of theirs there at most.

    Attributes:
        passwords: Hashing.
        guard: Counts wrong passwords, together with those at the login.
        now: Unix seconds.
        refused: Counts a wrong one for the operator, by one of a few words.
    """

    passwords: Passwords
    guard: Guard
    now: Callable[[], float]
    refused: Callable[[str], None]
    _turn: trio.Lock = attrs.Factory(trio.Lock)

    async def proven(self, me: Presence, password: str) -> str | None:
        """See `fibsd.commands.call.OwnPasswords`."""
        verify = partial(self._verified, me, password)
        checked = await self.guard.tried(me.name, me.connection.peer, self.now, verify)
        if checked is None:
            log.info("password refused")
            self.refused("wrong password on-line")
        return checked

    async def hash(self, password: str) -> str:
        """See `fibsd.commands.call.OwnPasswords`."""
        async with self._turn:
            return await self.passwords.hash(password)

    async def _verified(self, me: Presence, password: str) -> str | None:
        async with self._turn:
            # Not before: while one waits, the operator may have given out another password.
            checked = me.account.password_hash
            return checked if await self.passwords.verify(checked, password) else None


def _stand_back() -> None:
    # Elsewhere than on Linux a thread has no priority of its own that could be set like this.
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


def new_password() -> str:
    """A password that nobody can guess and that can be read out on a telephone: 60 bits in three groups."""
    letters = "abcdefghjkmnpqrstuvwxyz23456789"
    return "-".join("".join(secrets.choice(letters) for _ in range(4)) for _ in range(3))
