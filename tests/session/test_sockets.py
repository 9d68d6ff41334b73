"""Plain sockets that are read together: who is told of what has come, and when others have their turn."""

import selectors
import socket
from collections.abc import Callable, Iterator
from contextlib import closing

import attrs
import pytest
import trio

from fibsd.session import sockets as sockets_module
from fibsd.session.sockets import Sockets
from fibsd.session.transport import SocketTransport
from tests.support.ring import running


@attrs.define
class Listener:
    """What a transport has brought to it.

    Attributes:
        brought: All of it, in order.
        gone: Whether the peer was lost.
        then: What it does each time.
    """

    brought: list[bytes] = attrs.Factory(list)
    gone: bool = False
    then: Callable[[], None] = lambda: None

    def received(self, data: bytes) -> None:
        """Keep it."""
        self.brought.append(data)
        self.then()

    def broken(self) -> None:
        """Keep that."""
        self.gone = True
        self.then()

    def flush_all(self) -> None:
        """There is nothing to send."""

    def spawn(self, task: object) -> None:
        """There is nothing to wait for."""
        raise AssertionError


@attrs.define
class Pairs:
    """Connected pairs, and those who listen at one end of each.

    Attributes:
        sockets: Looks at them.
        flushed: How often all that was said was sent.
    """

    sockets: Sockets = attrs.field(init=False)
    flushed: int = 0
    ends: list[socket.socket] = attrs.Factory(list)

    def __attrs_post_init__(self) -> None:
        self.sockets = Sockets(self._flush)

    def _flush(self) -> None:
        self.flushed += 1

    def make(self) -> tuple[socket.socket, SocketTransport, Listener]:
        """The far end, the near one, and who listens there."""
        ours, theirs = socket.socketpair()
        self.ends += [ours, theirs]
        transport, listener = SocketTransport(theirs, self.sockets), Listener()
        transport.start(listener)
        return ours, transport, listener


@pytest.fixture
def pairs() -> Iterator[Pairs]:
    """None yet; at the end all are closed."""
    made = Pairs()
    yield made
    for end in made.ends:
        end.close()
    made.sockets.close()


async def test_what_has_come_together_is_answered_together(pairs: Pairs, nursery: trio.Nursery) -> None:
    """Each reader gets his own, and what was said is sent once."""
    made = [pairs.make() for _ in range(5)]
    for number, (peer, _, _) in enumerate(made):
        peer.send(b"%d" % number)
    nursery.start_soon(pairs.sockets.run)
    await trio.testing.wait_all_tasks_blocked()
    assert [listener.brought for _, _, listener in made] == [[b"0"], [b"1"], [b"2"], [b"3"], [b"4"]]
    assert pairs.flushed == 1


async def test_what_comes_meanwhile_is_read_in_the_same_turn(
    pairs: Pairs, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each answer that brings a new line at once would cost a turn of the loop."""
    monkeypatch.setattr(sockets_module, "TURN_S", 60.0)
    peer, _, listener = pairs.make()
    turns = 0

    def send_more() -> None:
        if len(listener.brought) < 5:
            peer.send(b"x")

    async def count_turns() -> None:
        nonlocal turns
        while len(listener.brought) < 5:
            turns += 1
            await trio.lowlevel.checkpoint()

    listener.then = send_more
    peer.send(b"x")
    nursery.start_soon(pairs.sockets.run)
    nursery.start_soon(count_turns)
    await trio.testing.wait_all_tasks_blocked()
    assert listener.brought == [b"x"] * 5
    assert pairs.flushed == 5
    assert turns <= 3


async def test_others_have_their_turn_between(
    pairs: Pairs, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After each reader, if one takes as long as all may take together; the order within a turn is left to chance."""
    monkeypatch.setattr(sockets_module, "TURN_S", -1.0)
    order = []
    made = [pairs.make() for _ in range(5)]
    for peer, _, listener in made:
        listener.then = lambda: order.append("line")
        peer.send(b"x")

    async def others() -> None:
        while order.count("line") < 5:
            order.append("other")
            await trio.lowlevel.checkpoint()

    nursery.start_soon(pairs.sockets.run)
    nursery.start_soon(others)
    await trio.testing.wait_all_tasks_blocked()
    assert "line, line, line" not in ", ".join(order)


async def test_what_comes_while_held_is_brought_afterwards(pairs: Pairs, nursery: trio.Nursery) -> None:
    """In the kernel it waits, and costs no turn of the loop."""
    peer, transport, listener = pairs.make()
    nursery.start_soon(pairs.sockets.run)
    transport.hold()
    transport.hold()
    peer.send(b"early")
    await trio.testing.wait_all_tasks_blocked()
    assert (listener.brought, pairs.flushed) == ([], 0)
    transport.go_on()
    transport.go_on()
    await trio.testing.wait_all_tasks_blocked()
    assert (listener.brought, pairs.flushed) == ([b"early"], 1)


async def test_one_who_ends_another_in_the_same_turn(pairs: Pairs, nursery: trio.Nursery) -> None:
    """Nothing more is brought to a session that an earlier one has ended."""
    made = [pairs.make() for _ in range(2)]

    def end_all() -> None:
        for _, transport, _ in made:
            transport.hold()

    for peer, _, listener in made:
        listener.then = end_all
        peer.send(b"x")
    nursery.start_soon(pairs.sockets.run)
    await trio.testing.wait_all_tasks_blocked()
    assert sorted(listener.brought for _, _, listener in made) == [[], [b"x"]]


async def test_end_and_loss_are_told(pairs: Pairs, nursery: trio.Nursery) -> None:
    """A peer that closes is an empty piece, one that is lost a loss; both once, if nobody looks any more."""
    ended, lost = pairs.make(), Listener()
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        peer = socket.create_connection(server.getsockname())
        near, _ = server.accept()
    pairs.ends.append(near)
    transport = SocketTransport(near, pairs.sockets)
    transport.start(lost)
    lost.then = transport.hold
    ended[2].then = ended[1].hold
    ended[0].close()
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    peer.close()
    nursery.start_soon(pairs.sockets.run)
    with trio.fail_after(5):
        while not (lost.gone and ended[2].brought):
            await trio.lowlevel.checkpoint()
    assert ended[2].brought == [b""]
    assert lost.brought == []


async def test_closing_leaves_nothing_behind(pairs: Pairs, nursery: trio.Nursery) -> None:
    """A closed socket's number may come again, and then belongs to somebody else."""
    _, transport, _ = pairs.make()
    nursery.start_soon(pairs.sockets.run)
    await transport.aclose()
    await transport.aclose()
    selector = pairs.sockets._selector
    assert isinstance(selector, selectors.BaseSelector)
    assert not selector.get_map()


async def test_session_has_a_task_only_while_it_waits(autojump_clock: trio.testing.MockClock) -> None:
    """Then it is not read, and everybody else is."""
    async with running() as ring:
        ann, bob = await ring.user("ann"), await ring.user("bob")
        await ring.sessions_become(2)
        ring.app.passwords.hold = trio.Event()  # type: ignore[attr-defined]
        await ann.send("password secret:newsecret:newsecret", "version")
        await bob.send("version")
        await bob.until(r"^\*\* Version ")
        await trio.testing.wait_all_tasks_blocked()
        tasks = ring.app._tasks
        assert tasks is not None
        assert len(tasks.child_tasks) == ring.own_tasks + 1
        ring.app.passwords.hold.set()  # type: ignore[attr-defined]
        await ann.until(r"(?s)Password changed\..*^\*\* Version ")
        await ring.sessions_become(2)
