"""Password hashes, made beside the loop, and recovery codes."""

import os
import re
import threading

import pytest
import trio
import trio.testing

from fibsd.config import Auth
from fibsd.protocol.words import code_letters
from fibsd.server import passwords as passwords_module
from fibsd.server.passwords import ArgonPasswords
from tests.support.client import PASSWORD, serving

CHEAP = Auth(time_cost=1, memory_kib=8)
PASSWORDS = ArgonPasswords(CHEAP)
LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"


def test_recovery_code_has_120_bits_in_letters_that_look_like_no_others() -> None:
    """Six groups of four out of 32; each code is another one."""
    codes = [PASSWORDS.new_code() for _ in range(200)]
    assert all(re.fullmatch(rf"[{LETTERS}]{{4}}(-[{LETTERS}]{{4}}){{5}}", code) for code in codes)
    assert len(set(codes)) == len(codes)
    # 4800 letters: that one of 32 is missing has a chance of 10 to the -64.
    assert {letter for code in codes for letter in code} == {*LETTERS, "-"}


async def test_code_fits_its_hash_in_whatever_form_it_was_written_down() -> None:
    """But no other code does."""
    code = PASSWORDS.new_code()
    hashed = await PASSWORDS.hash(code_letters(code))
    assert hashed.startswith("$argon2id$")
    for written in (code, code.lower(), code.replace("-", ""), code.lower().replace("-", "", 2)):
        assert await PASSWORDS.verify(hashed, code_letters(written))
    for wrong in (code[:-1], code + "2", "", PASSWORDS.new_code()):
        assert not await PASSWORDS.verify(hashed, code_letters(wrong))


async def test_a_hash_fits_its_password_only() -> None:
    passwords = ArgonPasswords(CHEAP)
    made = await passwords.hash("secret")
    assert await passwords.verify(made, "secret")
    assert not await passwords.verify(made, "Secret")
    assert not await passwords.verify("no hash", "secret")


async def test_who_goes_while_he_waits_costs_no_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attackers who hang up leave no work behind, beyond the one that was begun."""
    passwords = ArgonPasswords(CHEAP)
    begun, go_on = threading.Event(), threading.Event()
    asked: list[str] = []

    def verify(password_hash: str, password: str) -> bool:
        asked.append(password)
        begun.set()
        go_on.wait(10)
        return False

    monkeypatch.setattr(passwords, "verify_now", verify)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(passwords.verify, "", "first")
        await trio.to_thread.run_sync(begun.wait, 10)
        with trio.move_on_after(0) as gone:
            await passwords.verify("", "second")
        go_on.set()
        await passwords.verify("", "third")
    assert gone.cancelled_caught
    assert asked == ["first", "third"]


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="only Linux has priorities of threads")
async def test_hashes_stand_back_and_nothing_else_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread that hashes has a lower priority than the loop and than other threads."""
    passwords = ArgonPasswords(CHEAP)
    seen: list[int] = []

    def verify(password_hash: str, password: str) -> bool:
        seen.append(_niceness())
        return False

    monkeypatch.setattr(passwords, "verify_now", verify)
    before = _niceness()
    await passwords.verify("", "x")
    assert seen == [passwords_module.NICENESS]
    assert [_niceness(), await trio.to_thread.run_sync(_niceness)] == [before, before]


def _niceness() -> int:
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


async def test_login_waits_for_one_hash_of_users_on_line_however_many_ask(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """Right passwords are no guesses, and cost as much."""
    async with serving() as server:
        names = [f"user_{letter}" for letter in "abcdefgh"]
        clients = await server.online(*names)
        await server.user("late")
        queue: list[trio.Event] = []

        async def wait() -> None:
            """As the thread does it: one after the other, as they come."""
            queue.append(trio.Event())
            await queue[-1].wait()

        async def finish_first() -> None:
            queue.pop(0).set()
            await trio.testing.wait_all_tasks_blocked()

        server.passwords._wait = wait  # type: ignore[method-assign]
        for client in clients:
            await client.send(f"password {PASSWORD}:better:better")
        await trio.testing.wait_all_tasks_blocked()
        late = server.connect()
        await late.send(f"login x 1008 late {PASSWORD}")
        await trio.testing.wait_all_tasks_blocked()
        assert len(queue) == 2
        await finish_first()
        await finish_first()
        assert "late" in server.world.users
        # Then it is the turn of all others.
        while queue:
            await finish_first()
        await server.settle()
        for client in clients:
            assert client.lines()[0] == "Password changed."
