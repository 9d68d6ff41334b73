"""Getting back into an account by its recovery code: who may, once, and what meanwhile can happen."""

from collections.abc import Awaitable, Callable

import attrs
import pytest
import trio

from fibsd.config import Config
from fibsd.storage.memory import MemoryStore
from fibsd.storage.store import Job
from fibsd.world.changes import Audited, MessageLeft, PasswordRecovered, RecoveryChanged
from fibsd.world.ids import UserName
from tests.support.client import PASSWORD, PEER, RAISED, Client, Server, serving

ALICE = UserName("alice")
WRONG = b"** User not known or wrong recovery code.\r\n\r\nlogin: "
DELAYED = Config(limits=attrs.evolve(RAISED, free_login_failures=2, login_attempts=10))


class Holding(MemoryStore):
    """A store that takes its time while it is told to."""

    holds = False

    def __init__(self) -> None:
        super().__init__()
        self.held: list[Job] = []

    def submit(self, job: Job) -> None:
        if self.holds:
            self.held.append(job)
        else:
            super().submit(job)

    def go_on(self) -> None:
        self.holds = False
        for job in self.held:
            super().submit(job)


async def with_code(server: Server, name: str = "alice") -> str:
    """A new user with a recovery code, off-line; the code."""
    await server.user(name)
    client = await server.login(name)
    line = (await server.ask(client, f"recovery {PASSWORD}"))[0]
    await server.ask(client, "bye")
    return line.removeprefix("Your recovery code: ")


async def connected(server: Server, peer: str = PEER) -> Client:
    """A connection whose banner was read."""
    client = server.connect(peer)
    await server.settle()
    client.take()
    return client


async def test_code_is_not_shown_before_it_is_stored(autojump_clock):
    store = Holding()
    async with serving(store=store) as server:
        (alice,) = await server.online("alice")
        store.holds = True
        assert await server.ask(alice, f"recovery {PASSWORD}") == []
        store.go_on()
        await server.settle()
        assert alice.lines()[0] == "Your recovery code: CODE-0001"
        account = await server.store.account("alice")
        assert account is not None
        assert account.recovery_hash == "plain:CODE0001"


async def test_new_password_and_the_end_of_the_code_are_one_job(autojump_clock):
    """And nobody is let in before it is stored: a server that is killed then has told nothing that is not so."""
    store = Holding()
    async with serving(store=store) as server:
        code = await with_code(server)
        client = await connected(server)
        store.holds = True
        await client.send(f"recover alice {code} better")
        await server.settle()
        assert client.take() == b""
        (job,) = store.held
        assert [type(change) for change in job.changes] == [PasswordRecovered, MessageLeft, Audited]
        store.go_on()
        await server.settle()
        assert client.take().startswith(b"** User alice authenticated.\r\n")


async def test_recovered_account_has_the_new_password_and_no_code(autojump_clock):
    async with serving() as server:
        code = await with_code(server)
        client = await connected(server)
        await client.send(f"recover ALICE {code.lower()} better")
        await server.settle()
        assert b"Message from fibsd: Your password was changed with your recovery code." in client.take()
        account = await server.store.account("alice")
        assert account is not None
        assert (account.password_hash, account.recovery_hash) == ("plain:better", None)
        assert await server.ask(client, "password better:best:best") == ["Password changed."]
        (audit,) = await server.store.audits(10)
        assert (audit.by, audit.act, audit.subject, audit.details) == ("alice", "recover", "alice", "")


async def test_neither_codes_nor_passwords_are_in_the_log_or_the_audit(autojump_clock):
    async with serving() as server:
        code = await with_code(server)
        client = await connected(server)
        await client.send("recover alice WRONG-GUESS hushhush", f"recover alice {code} betterword", "bye")
        await client.wait_closed()
        written = repr(server.logs) + repr(await server.store.audits(10))
        assert "password changed by recovery code" in written
        secrets = ("WRONG-GUESS", "WRONGGUESS", "hushhush", code, code.replace("-", ""), "betterword", f"'{PASSWORD}'")
        assert [secret for secret in secrets if secret in written] == []


async def test_unknown_name_and_account_without_a_code_cost_the_same_hash_as_a_wrong_code(autojump_clock):
    async with serving() as server:
        code = await with_code(server)
        await server.user("bob")
        checked, hashed = [], []
        verify, make = server.passwords.verify, server.passwords.hash

        async def counting(password_hash: str, password: str) -> bool:
            checked.append(password_hash)
            return await verify(password_hash, password)

        async def making(password: str) -> str:
            hashed.append(password)
            return await make(password)

        server.passwords.verify, server.passwords.hash = counting, making
        client = await connected(server)
        await client.send("recover alice wrong better", f"recover nobody {code} better")
        await server.settle()
        assert client.take() == WRONG * 2
        client = await connected(server)
        await client.send(f"recover bob {code} better")
        await server.settle()
        assert client.take() == WRONG
        no_hash = server.engine.gate.no_hash
        assert (checked, hashed) == (["plain:CODE0001", no_hash, no_hash], [])


async def test_the_stand_in_for_a_missing_code_opens_nothing(autojump_clock):
    """Even if somebody types what it is the hash of."""
    async with serving() as server:
        await server.user("bob")
        server.engine.gate.no_hash = "plain:KNOWN"
        server.passwords.hash = None  # no new password comes so far as to be hashed
        client = await connected(server)
        await client.send("recover bob KNOWN better", "recover nobody KNOWN better")
        await server.settle()
        assert client.take() == WRONG * 2


async def test_guessing_a_code_takes_longer_each_time_as_with_passwords(autojump_clock):
    """Both kinds count together, for the account and for the address."""
    async with serving(config=DELAYED) as server:
        code = await with_code(server)
        times = []

        async def timed(client: Client, line: str) -> None:
            start = trio.current_time()
            client.take()
            await client.send(line)
            await client.expect("** User ")
            times.append(round(trio.current_time() - start))

        first = await connected(server, "192.0.2.1")
        await first.send("login x 1008 alice wrong")
        await server.settle()
        for _ in range(4):
            await timed(first, "recover alice a better")
        assert times == [0, 1, 2, 4]
        await timed(await connected(server, "192.0.2.2"), "recover alice b better")
        await timed(await connected(server, "192.0.2.1"), "recover nobody b better")
        assert times[4:] == [8, 8]
        other = await connected(server, "192.0.2.3")
        await timed(other, f"recover alice {code} better")
        assert times[6:] == [16]
        await server.settle()
        assert "alice" in server.world.users


async def test_failed_tries_close_the_connection(autojump_clock):
    async with serving() as server:
        code = await with_code(server)
        client = await connected(server)
        await client.send("recover alice a better", "recover", f"recover alice {code} a:bc", "recover alice")
        await client.wait_closed()
        assert client.take().count(b"login: ") == 3
        account = await server.store.account("alice")
        assert account is not None
        assert account.recovery_hash == f"plain:{code.replace('-', '')}"


async def test_user_on_line_elsewhere_is_not_disturbed_by_a_failed_try(autojump_clock):
    async with serving() as server:
        await with_code(server)
        alice = await server.login("alice")
        client = await connected(server)
        await client.send("recover alice wrong better")
        await server.settle()
        assert client.take() == WRONG
        assert (alice.take(), alice.closed) == (b"", False)
        assert await server.ask(alice, f"password {PASSWORD}:other:other") == ["Password changed."]


async def test_session_of_somebody_else_ends_when_the_owner_comes_back(autojump_clock):
    """With the old password he can do nothing more, not even within what he had begun."""
    async with serving() as server:
        code = await with_code(server)
        thief = await server.login("alice")
        await server.ask(thief, "erase", PASSWORD)
        server.passwords.hold = trio.Event()
        owner = await connected(server)
        await owner.send(f"recover alice {code} better")
        await trio.testing.wait_all_tasks_blocked()
        server.passwords.hold.set()
        await server.settle()
        assert thief.closed
        # The first line of the new session is no answer to what the old one was asked.
        owner.take()
        assert await server.ask(owner, "yes") == ["** Unknown command: 'yes'"]
        assert await server.store.account("alice") is not None


@pytest.mark.parametrize("line", [f"password {PASSWORD}:evil:evil", f"recovery {PASSWORD}"])
async def test_command_that_was_begun_with_the_old_password_has_no_effect(autojump_clock, line):
    """It was right when it was checked; when the new hash is made it is no more."""
    async with serving() as server:
        thief = (await server.online("alice"))[0]
        waiting = queue_of_hashing(server)
        await thief.send(line)
        await trio.testing.wait_all_tasks_blocked()
        waiting.pop().set()
        await trio.testing.wait_all_tasks_blocked()
        server.nursery.start_soon(server.engine.administer, "password alice")
        await trio.testing.wait_all_tasks_blocked()
        of_thief, of_operator = waiting
        of_operator.set()
        await server.settle()
        of_thief.set()
        await server.settle()
        assert "not correct." in thief.take().decode()
        account = await server.store.account("alice")
        assert account is not None
        assert account.password_hash not in (f"plain:{PASSWORD}", "plain:evil")
        assert account.recovery_hash is None


def queue_of_hashing(server: Server) -> list[trio.Event]:
    """Every check and every hash waits for its event in this list from now on."""
    waiting: list[trio.Event] = []

    async def wait() -> None:
        waiting.append(trio.Event())
        await waiting[-1].wait()

    server.passwords._wait = wait
    return waiting


async def _both(server: Server, code: str, between: Callable[[], Awaitable[object]] | None = None) -> list[bytes]:
    clients = [await connected(server) for _ in range(2)]
    server.passwords.hold = trio.Event()
    for client, new in zip(clients, ("first", "second"), strict=True):
        await client.send(f"recover alice {code} {new}")
    await trio.testing.wait_all_tasks_blocked()
    if between is not None:
        await between()
    server.passwords.hold.set()
    server.passwords.hold = None
    await server.settle()
    return [client.take() for client in clients]


@pytest.mark.parametrize("online", [False, True])
async def test_code_that_two_use_at_once_works_for_one(autojump_clock, online):
    async with serving() as server:
        code = await with_code(server)
        if online:
            await server.login("alice")
        answers = await _both(server, code)
        assert sum(answer.startswith(b"** User alice authenticated.") for answer in answers) == 1
        assert answers.count(WRONG) == 1
        winner = ("first", "second")[answers.index(WRONG) - 1]
        account = await server.store.account("alice")
        assert account is not None
        assert (account.password_hash, account.recovery_hash) == (f"plain:{winner}", None)
        assert server.world.users[ALICE].account.password_hash == f"plain:{winner}"
        assert len(await server.store.audits(10)) == 1


async def test_code_that_was_replaced_during_a_try_no_longer_works(autojump_clock):
    """By another program too: the store has the last word."""
    async with serving() as server:
        code = await with_code(server)

        async def replace() -> None:
            account = server.store._accounts[ALICE]
            server.store._accounts[ALICE] = attrs.evolve(account, recovery_hash="plain:ANOTHER")

        assert await _both(server, code, replace) == [WRONG, WRONG]
        account = await server.store.account("alice")
        assert account is not None
        assert (account.password_hash, account.recovery_hash) == (f"plain:{PASSWORD}", "plain:ANOTHER")


@pytest.mark.parametrize("ban", ["alice", PEER])
async def test_who_is_banned_stays_out_and_keeps_his_code(autojump_clock, ban):
    async with serving() as server:
        code = await with_code(server)
        await server.engine.administer(f"ban {ban} 2h")
        client = await connected(server)
        await client.send(f"recover alice {code} better")
        await server.settle()
        assert client.take() == b"** access denied!\r\n\r\nlogin: "
        account = await server.store.account("alice")
        assert account is not None
        assert (account.password_hash, account.recovery_hash) == (f"plain:{PASSWORD}", "plain:CODE0001")


async def test_own_new_password_keeps_the_code_and_one_from_the_operator_ends_it(autojump_clock):
    async with serving() as server:
        await with_code(server)
        alice = await server.login("alice")
        await server.ask(alice, f"password {PASSWORD}:other:other")
        account = await server.store.account("alice")
        assert account is not None
        assert account.recovery_hash == "plain:CODE0001"
        await server.engine.administer("password alice")
        account = await server.store.account("alice")
        assert account is not None
        assert account.recovery_hash is None
        assert server.world.users[ALICE].account.recovery_hash is None


async def test_erased_account_cannot_be_recovered_by_its_heir(autojump_clock):
    """Who takes the name next has no code."""
    async with serving() as server:
        code = await with_code(server)
        alice = await server.login("alice")
        await server.ask(alice, "erase", PASSWORD, "yes")
        await server.user("alice")
        client = await connected(server)
        await client.send(f"recover alice {code} better")
        await server.settle()
        assert client.take() == WRONG


async def test_nobody_can_be_called_recover(autojump_clock):
    """He could not log in by his name."""
    async with serving() as server:
        client = await connected(server)
        await client.send("guest", "name Recover")
        await server.settle()
        assert client.take().endswith(b"** Please use another name. 'Recover' is already used by someone else.\r\n> ")


async def test_code_given_up_in_the_store_counts_no_more(autojump_clock):
    async with serving() as server:
        code = await with_code(server)
        assert await server.engine.store_now(RecoveryChanged(name=ALICE, recovery_hash=None))
        client = await connected(server)
        await client.send(f"recover alice {code} better")
        await server.settle()
        assert client.take() == WRONG
