"""The lock that keeps a second server off the same database file."""

import fcntl
import os
from pathlib import Path
from types import TracebackType

import attrs

from fibsd.storage.store import StoreError, StoreLocked


def resolved(path: Path) -> Path:
    """The file that all ways to it (relative, through symbolic links) have in common; it need not exist."""
    return Path(os.path.realpath(path))


@attrs.define
class ServeLock:
    """A held lock on `<database file>.lock`; the kernel lets go of it when the process ends, however it ends.

    A file of its own, because SQLite loses its locks when a program closes another descriptor of the database
    file. It is never removed: two servers could then hold two files that had the same name. Hard links to one
    database are not recognised.
    """

    _descriptor: int | None

    @classmethod
    def take(cls, database: Path) -> "ServeLock":
        """Lock this database for serving.

        Raises:
            StoreLocked: At once, if another server has it.
            StoreError: The lock file cannot be made.
        """
        path = resolved(database)
        name = path.with_name(path.name + ".lock")
        try:
            descriptor = os.open(name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise StoreError(f"cannot open {name}: {error.strerror}") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip()
            os.close(descriptor)
            if not isinstance(error, BlockingIOError):
                raise StoreError(f"cannot lock {name}: {error.strerror}") from error
            raise StoreLocked(f"another server (process {holder or '?'}) uses {path}") from error
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        return cls(descriptor)

    def release(self) -> None:
        """Let go of the lock; a second call does nothing."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> "ServeLock":
        """The lock itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Let go of the lock."""
        self.release()
