"""What users are told when the store fails them."""

from fibsd.session.session import Session
from fibsd.storage.store import Job, StoreError
from fibsd.world.changes import MatchAdjourned, MessageLeft
from tests.support.client import PASSWORD, serving
from tests.support.faltering import Faltering


class Unreadable(Faltering):
    """A store that cannot be read while it is away."""

    async def account(self, name):
        if self.down_since is not None:
            raise StoreError("away")
        return await super().account(name)

    async def arrival(self, name):
        if self.down_since is not None:
            raise StoreError("away")
        return await super().arrival(name)


async def test_what_cannot_be_looked_up_is_said_and_play_goes_on(autojump_clock):
    store = Unreadable()
    async with serving(store=store, faults=("store cannot be read",)) as server:
        alice, bob = await server.online("alice", "bob")
        (carol,) = await server.online("carol", kind="telnet")
        await server.ask(bob, "toggle ready")
        await server.ask(alice, "toggle ready", "invite bob 3")
        await server.ask(bob, "join alice")
        store.fall()
        for client in (alice, carol):
            client.take()
            await client.send("whois nobody")
            await server.settle()
        assert alice.lines() == ["** That cannot be looked up at the moment. Please try again later."]
        assert carol.take() == b"** That cannot be looked up at the moment. Please try again later.\r\n> "
        store.rise()
        assert "No information found on user nobody." in await server.ask(alice, "whois nobody")
        assert server.world.tables


async def test_who_cannot_be_looked_up_is_told_why_he_cannot_log_in(autojump_clock):
    store = Unreadable()
    async with serving(store=store, faults=("store cannot be read",)) as server:
        await server.user("alice")
        guest = server.connect()
        await server.settle()
        store.fall()
        guest.take()
        await guest.send("alice", PASSWORD)
        await server.settle()
        assert guest.take().endswith(b"\r\n** That cannot be looked up at the moment. Please try again later.\r\n")
        assert guest.closed


async def test_a_fault_of_ours_is_no_leaving(autojump_clock, monkeypatch):
    """The match is saved, but nobody has left it."""
    jobs: list[Job] = []

    def watch(job: Job) -> bool:
        jobs.append(job)
        return False

    async with serving(store=Faltering(refuses=watch), faults=("session failed",)) as server:
        alice, bob = await server.online("alice", "bob")
        await server.ask(bob, "toggle ready")
        await server.ask(alice, "toggle ready", "invite bob 3")
        await server.ask(bob, "join alice")

        def fail(*args):
            raise ValueError("made by the test")

        with monkeypatch.context() as patch:
            patch.setattr(Session, "_handle", fail)
            await alice.send("board")
            await server.settle()
        adjourned = [change for job in jobs for change in job.changes if isinstance(change, MatchAdjourned)]
        assert [change.left_by for change in adjourned] == [None]


async def test_who_typed_what_is_refused_is_told_so(autojump_clock):
    """As when the receiver of a message is erased at the same moment."""

    def refuses(job: Job) -> bool:
        return any(isinstance(change, MessageLeft) for change in job.changes)

    async with serving(store=Faltering(refuses=refuses), faults=("job refused by the store",)) as server:
        (alice,) = await server.online("alice", kind="telnet")
        await server.user("bob")
        alice.take()
        await alice.send("message bob hello")
        await server.settle()
        assert alice.take() == b"** That could not be stored. Please try again.\r\n> "


async def test_an_alert_is_told_while_the_store_hangs(autojump_clock):
    """It may be about just that, and nothing that comes after it waits either."""
    store = Faltering()
    async with serving(store=store, faults=("store unavailable",)) as server:
        alice, bob = await server.online("alice", "bob")
        store.fall()
        server.nursery.start_soon(server.engine.administer, "alert the disk hangs")
        await server.settle()
        heard = await server.ask(bob, "tell alice hello")
        assert any("the disk hangs" in line for line in heard)
        heard = alice.lines()
        assert any("the disk hangs" in line for line in heard)
        assert "12 bob hello" in heard
        store.rise()
        await server.settle()
        (audit,) = await store.audits(1)
        assert (audit.act, audit.details) == ("alert", "disk hangs")
