"""What addresses count as, for the limits that belong to them."""

import pytest

from fibsd.config import Limits
from fibsd.server.guard import Guard, counted_as

HERE = ("2001:db8:1:2::1", "2001:db8:1:2:ffff::2", "2001:DB8:1:2::3")
NEXT_DOOR = "2001:db8:1:3::1"
TOO_MANY = "too many connections from one address"


@pytest.mark.parametrize(
    ("peer", "counted"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("2001:0DB8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("::FFFF:c000:201", "192.0.2.1"),
        ("", ""),
        ("unix", "unix"),
        ("[::1]:4321", "[::1]:4321"),
    ],
)
def test_address_counts_as_its_network_if_it_is_one_of_ipv6(peer: str, counted: str) -> None:
    """IPv4 addresses count as themselves, however they are written, and so does what is no address."""
    assert counted_as(peer) == counted


def test_connections_from_one_network_of_ipv6_are_bounded_and_leave_nothing_behind() -> None:
    guard = Guard(Limits(connections_per_address=2))
    assert [guard.arrive(peer) for peer in (*HERE, NEXT_DOOR)] == [None, None, TOO_MANY, None]
    for peer in (*HERE, NEXT_DOOR):
        guard.leave(peer)
    assert (guard.total, dict(guard.connections)) == (0, {})


def test_ipv4_address_is_the_same_one_when_written_as_one_of_ipv6() -> None:
    guard = Guard(Limits(connections_per_address=1))
    assert [guard.arrive(peer) for peer in ("192.0.2.1", "::ffff:192.0.2.1")] == [None, TOO_MANY]
    assert [guard.arrive(peer) for peer in ("192.0.2.2", "::ffff:192.0.2.3")] == [None, None]


def test_registrations_from_one_network_of_ipv6_are_bounded() -> None:
    guard = Guard(Limits(registrations_per_hour=2))
    assert [guard.may_register(peer, 0.0) for peer in (*HERE, NEXT_DOOR)] == [True, True, False, True]


def test_guesses_from_one_network_of_ipv6_delay_each_other() -> None:
    """Whatever account they are about."""
    guard = Guard(Limits(free_login_failures=2))
    for name, peer in zip(("alice", "bob", "carol"), HERE, strict=True):
        guard.login_failed(peer, name, 0.0)
    assert [guard.login_delay_s(peer, "dave", 0.0) for peer in (*HERE, NEXT_DOOR)] == [2.0, 2.0, 2.0, 0.0]


def test_whole_address_is_what_is_trusted() -> None:
    """Not all of its network with it."""
    guard = Guard(Limits(connections_per_address=1, trusted=("2001:db8:1:2::1/128",)))
    assert [guard.arrive(peer) for peer in (HERE[0], HERE[0], HERE[1])] == [None, None, TOO_MANY]
