"""The commands that ask for the present password: guessing by them is no quicker than at the login."""

import attrs
import pytest
import trio
import trio.testing

from fibsd.config import Config
from fibsd.world.ids import UserName
from tests.support.client import PASSWORD, PEER, RAISED, Client, Server, serving

DELAYED = Config(limits=attrs.evolve(RAISED, free_login_failures=2, login_attempts=10))
ELSEWHERE = "192.0.2.99"
WRONG = "** Sorry. Old password not correct."
GUESSES = {
    "password": (["password wrong:better:better"], WRONG),
    "recovery": (["recovery wrong"], "** Sorry. Password not correct."),
    "erase": (["erase", "wrong"], WRONG),
}
RIGHT = {
    "password": ([f"password {PASSWORD}:better:better"], "Password changed."),
    "recovery": ([f"recovery {PASSWORD}"], "Your recovery code: "),
    "erase": (["erase", PASSWORD], "Type 'yes' to erase your account"),
}
kinds = pytest.mark.parametrize("kind", ["password", "recovery", "erase"])


async def timed(client: Client, lines: list[str], answer: str) -> int:
    """Seconds until something is answered."""
    client.take()
    start = trio.current_time()
    await client.send(*lines)
    with trio.fail_after(60):
        # A question has no line end that could be waited for.
        while True:
            if answer.encode() in client.received:
                return round(trio.current_time() - start)
            await trio.sleep(0.01)


async def timed_login(server: Server, name: str, peer: str) -> int:
    """Seconds until somebody is logged in."""
    return await timed(server.connect(peer), [f"login x 1008 {name} {PASSWORD}"], "\r\n4\r\n")


@kinds
async def test_guessing_takes_longer_each_time(autojump_clock, kind):
    """The answer stays what it was, and the user stays on-line."""
    async with serving(config=DELAYED) as server:
        (alice,) = await server.online("alice")
        assert [await timed(alice, *GUESSES[kind]) for _ in range(7)] == [0, 0, 1, 2, 4, 8, 16]
        assert alice.lines()[-1] == GUESSES[kind][1]
        assert await server.ask(alice, "back") == ["** You're not away."]


@kinds
async def test_guesses_count_at_the_login_for_the_account_and_for_the_address(autojump_clock, kind):
    async with serving(config=DELAYED) as server:
        await server.user("bob")
        (alice,) = await server.online("alice")
        for _ in range(3):
            await timed(alice, *GUESSES[kind])
        assert await timed_login(server, "bob", PEER) == 2
        assert await timed_login(server, "alice", ELSEWHERE) == 2


@kinds
async def test_guesses_at_the_login_count_for_the_command(autojump_clock, kind):
    """Whether for the account, or from the address."""
    async with serving(config=DELAYED) as server:
        await server.user("alice")
        await server.user("bob")
        alice, bob = await server.login("alice", peer="192.0.2.1"), await server.login("bob", peer="192.0.2.2")
        stranger = server.connect("192.0.2.2")
        await stranger.send(*["login x 1008 alice wrong"] * 4)
        await server.passes(10)
        assert await timed(alice, *GUESSES[kind]) == 4
        assert await timed(bob, *GUESSES[kind]) == 4


@kinds
async def test_right_password_ends_the_delay_of_the_account_only(autojump_clock, kind):
    """As at the login; whoever guesses at others' accounts may have one of his own."""
    async with serving(config=DELAYED) as server:
        await server.user("bob")
        (alice,) = await server.online("alice")
        for _ in range(3):
            await timed(alice, *GUESSES[kind])
        assert await timed(alice, *RIGHT[kind]) == 2
        counts = server.engine.guard.failures
        assert counts.delay_s("name alice", server.clock.at) == 0
        assert await timed_login(server, "bob", PEER) == 2


@kinds
async def test_guesses_are_logged_and_counted_for_the_operator_without_what_was_typed(autojump_clock, kind):
    async with serving(config=DELAYED) as server:
        (alice,) = await server.online("alice")
        reasons = []
        server.engine.metrics = _Counting(reasons)
        for _ in range(4):
            await timed(alice, *GUESSES[kind])
        events = [entry for entry in server.logs if entry["event"] in ("password refused", "login delayed")]
        assert [entry["event"] for entry in events] == [
            "password refused",
            "password refused",
            "login delayed",
            "password refused",
            "login delayed",
            "password refused",
        ]
        assert {entry["user"] for entry in events} == {"alice"}
        assert [(entry["peer"], entry["delay_s"]) for entry in events if "peer" in entry] == [(PEER, 1), (PEER, 2)]
        assert reasons == ["wrong password on-line"] * 4
        assert "'wrong" not in repr(server.logs)


@attrs.define
class _Counting:
    """Keeps only the reasons of refusals."""

    reasons: list[str]

    def login_refused(self, reason: str) -> None:
        self.reasons.append(reason)

    def command(self, name: str, seconds: float) -> None:
        pass


@kinds
async def test_nobody_else_waits_and_later_lines_wait_their_turn(autojump_clock, kind):
    async with serving(config=DELAYED) as server:
        alice, bob = await server.online("alice", "bob")
        lines, answer = GUESSES[kind]
        for _ in range(4):
            await timed(alice, lines, answer)
        alice.take()
        start = trio.current_time()
        await alice.send(*lines, "tell bob Here I am.")
        assert await server.ask(bob, "tell alice Where are you?") == ["16 alice Where are you?"]
        # What others say to him comes at once.
        assert [line for line in alice.lines() if line.startswith("12 ")] == ["12 bob Where are you?"]
        assert bob.lines() == []
        await bob.expect("12 alice Here I am.")
        assert round(trio.current_time() - start) == 4
        assert alice.lines()[-2:] == [answer, "16 bob Here I am."]


async def test_wrong_form_is_no_guess(autojump_clock):
    async with serving(config=DELAYED) as server:
        (alice,) = await server.online("alice")
        lines = ["password wrong", "password wrong:better:worse", "password wrong:abc:abc", "recovery"]
        assert await timed(alice, lines * 2, "** usage") == 0
        assert len(server.engine.guard.failures) == 0


async def test_who_is_closed_while_he_waits_has_not_guessed(autojump_clock):
    async with serving(config=DELAYED) as server:
        (alice,) = await server.online("alice")
        lines, answer = GUESSES["password"]
        for _ in range(7):
            await timed(alice, lines, answer)
        alice.take()
        checked = server.passwords.verify = _Checked()
        await alice.send(*lines)
        await server.engine.administer("close alice")
        await alice.wait_closed()
        await server.passes(60)
        assert checked.passwords == []
        assert answer not in alice.lines()
        assert UserName("alice") not in server.world.users


@attrs.define
class _Checked:
    """Keeps the passwords that are checked, all of which are wrong."""

    passwords: list[str] = attrs.Factory(list)

    async def __call__(self, password_hash: str, password: str) -> bool:
        self.passwords.append(password)
        return False


@kinds
async def test_password_that_is_replaced_while_its_check_waits_is_wrong(autojump_clock, kind):
    async with serving(config=DELAYED) as server:
        (alice,) = await server.online("alice")
        for _ in range(4):
            await timed(alice, *GUESSES[kind])
        alice.take()
        await alice.send(*RIGHT[kind][0])
        await server.engine.administer("password alice")
        await alice.expect(GUESSES[kind][1])


async def test_account_is_kept_if_the_password_is_replaced_while_it_is_checked(autojump_clock):
    """It was right when the check began; by the answer it is no more."""
    async with serving() as server:
        (alice,) = await server.online("alice")
        await server.ask(alice, "erase")
        hold = server.passwords.hold = trio.Event()
        await alice.send(PASSWORD)
        await trio.testing.wait_all_tasks_blocked()
        server.passwords.hold = None
        await server.engine.administer("password alice")
        hold.set()
        await alice.expect(WRONG)
        assert await server.ask(alice, "yes") == ["** Unknown command: 'yes'"]
