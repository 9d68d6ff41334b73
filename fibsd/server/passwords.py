"""Password hashes: Argon2id, made in threads of their own so that nobody's move waits for a login."""

import secrets

import argon2
import trio

from fibsd.config import Auth


class ArgonPasswords:
    """Hashes with the cost that the configuration sets."""

    def __init__(self, auth: Auth) -> None:
        self._hasher = argon2.PasswordHasher(
            time_cost=auth.time_cost, memory_cost=auth.memory_kib, parallelism=auth.parallelism
        )
        self._limiter = trio.CapacityLimiter(auth.threads)

    async def verify(self, password_hash: str, password: str) -> bool:
        """Whether the password fits the hash; False for a hash that is none."""
        return await trio.to_thread.run_sync(self.verify_now, password_hash, password, limiter=self._limiter)

    async def hash(self, password: str) -> str:
        """A new hash."""
        return await trio.to_thread.run_sync(self._hasher.hash, password, limiter=self._limiter)

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


def new_password() -> str:
    """A password that nobody can guess and that can be read out on a telephone: 60 bits in three groups."""
    letters = "abcdefghjkmnpqrstuvwxyz23456789"
    return "-".join("".join(secrets.choice(letters) for _ in range(4)) for _ in range(3))
