"""Peers that must shake hands first, by their addresses."""

import socket
import ssl
from functools import partial

import trio
import trio.testing

from fibsd.config import Limits
from fibsd.server.entrance import Entrance
from fibsd.server.guard import Guard
from fibsd.session.sockets import Sockets
from fibsd.session.transport import Transport
from tests.support.client import captured_logs

HERE = ("2001:db8:1:2::1", "2001:db8:1:2:a::2", "2001:db8:1:2:b::3")
NEXT_DOOR = "2001:db8:1:3::1"


async def test_handshakes_from_one_network_of_ipv6_are_bounded_together_with_its_connections() -> None:
    """And what is waited for no longer counts no longer."""
    refused: list[str] = []
    guard = Guard(Limits(connections_per_address=2))
    guard.arrive(HERE[0])
    ends = []
    with captured_logs() as logs:
        async with trio.open_nursery() as nursery:
            entrance = Entrance(
                tasks=nursery,
                sockets=Sockets(lambda: None),
                begin=_nobody_comes_in,
                refused=refused.append,
                guard=guard,
                tls=ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER),
            )
            arrive = partial(entrance.arrive, encrypted=True)
            for peer in (HERE[1], HERE[2], NEXT_DOOR):
                ours, theirs = socket.socketpair()
                ends.append(theirs)
                arrive(ours, peer)
            await trio.testing.wait_all_tasks_blocked()
            assert refused == ["too many handshakes"]
            assert dict(entrance.waiting) == {"2001:db8:1:2::/64": 1, "2001:db8:1:3::/64": 1}
            for end in ends:
                end.close()
    assert dict(entrance.waiting) == {}
    # The whole address is what the operator reads.
    assert (logs[0]["reason"], logs[0]["peer"]) == ("too many handshakes", HERE[2])


def _nobody_comes_in(transport: Transport, peer: str) -> None:
    raise AssertionError("nobody shakes hands here")
