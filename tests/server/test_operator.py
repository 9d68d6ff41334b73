"""The operator's socket, and reminders of a stop."""

import functools

import pytest
import trio

from fibsd.server.countdown import MARKS_S, due
from fibsd.server.operator import ask_operator_socket, open_operator_socket, serve_operator


async def test_a_line_is_answered(tmp_path):
    async def administer(line: str) -> list[str]:
        return [f"did {line}", "done"]

    path = str(tmp_path / "admin.sock")
    listener = open_operator_socket(path)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve_operator, listener, administer)
        ask = functools.partial(ask_operator_socket, path, "ban bob ever")
        with trio.fail_after(5):
            assert await trio.to_thread.run_sync(ask) == "did ban bob ever\ndone\n"
        nursery.cancel_scope.cancel()


async def test_a_fault_is_told_and_the_socket_lives(tmp_path):
    async def administer(line: str) -> list[str]:
        if line == "bad":
            raise ValueError("a fault of ours")
        return ["fine"]

    path = str(tmp_path / "admin.sock")
    listener = open_operator_socket(path)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve_operator, listener, administer)
        with trio.fail_after(5):
            bad = await trio.to_thread.run_sync(ask_operator_socket, path, "bad")
            good = await trio.to_thread.run_sync(ask_operator_socket, path, "good")
        assert bad == "** That failed; the log tells why.\n"
        assert good == "fine\n"
        nursery.cancel_scope.cancel()


async def test_who_hangs_up_hurts_nobody(tmp_path):
    """A Ctrl-C while the answer takes long, and a second server that only looks whether the place is taken."""
    did, wait, asked = [], trio.Event(), trio.Event()

    async def administer(line: str) -> list[str]:
        asked.set()
        if line == "slow":
            await wait.wait()
        did.append(line)
        return ["done"]

    path = str(tmp_path / "admin.sock")
    listener = open_operator_socket(path)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve_operator, listener, administer)
        with trio.fail_after(5):
            with pytest.raises(OSError, match="another server"):
                await trio.to_thread.run_sync(open_operator_socket, path)
            async with await trio.open_unix_socket(path) as impatient:
                await impatient.send_all(b"slow\n")
                await asked.wait()
            wait.set()
            assert await trio.to_thread.run_sync(ask_operator_socket, path, "version") == "done\n"
        assert did == ["slow", "version"]
        nursery.cancel_scope.cancel()


def test_only_the_owner_may_open_it(tmp_path):
    path = tmp_path / "admin.sock"
    open_operator_socket(str(path)).close()
    assert path.stat().st_mode & 0o777 == 0o600
    # A killed server leaves its socket behind; the next one takes the place.
    open_operator_socket(str(path)).close()


def test_a_file_in_its_place_is_not_taken_away(tmp_path):
    path = tmp_path / "admin.sock"
    path.write_text("precious")
    with pytest.raises(OSError, match="in use"):
        open_operator_socket(str(path))
    assert path.read_text() == "precious"


@pytest.mark.parametrize(("before", "left", "told"), [(61, 60, True), (60, 59, False), (3601, 3599, True),
                                                      (11, 9.5, True), (9, 1, False)])  # fmt: skip
def test_reminders_are_due_at_their_marks(before, left, told):
    assert due(before, left) is told


def test_each_mark_is_told_once_in_a_countdown():
    told = [left for left in range(4000, 0, -1) if due(left + 1, left)]
    assert told == list(MARKS_S)
