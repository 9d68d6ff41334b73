"""Who may connect, log in and register, and how often: bounds for each address and for all."""

import ipaddress
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import TypeVar

import attrs
import structlog
import trio

from fibsd.config import Limits
from fibsd.session.limits import Buckets, Failures

log = structlog.get_logger()

T = TypeVar("T")

HOUR_S = 3600.0
SITE_BITS = 64
"""Leading bits of an IPv6 address that tell sites apart: whoever has one address has all that begin with them."""


def counted_as(peer: str) -> str:
    """What an address counts as: an IPv6 network of 64 bits, an IPv4 address, or whatever else the text is.

    An IPv4 address that is written as one of IPv6 counts as what it is.
    """
    if ":" not in peer:
        # Nearly all; no need to read it.
        return peer
    try:
        address = ipaddress.IPv6Address(peer)
    except ValueError:
        return peer
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    shift = ipaddress.IPV6LENGTH - SITE_BITS
    return str(ipaddress.IPv6Network((int(address) >> shift << shift, SITE_BITS)))


@attrs.define(eq=False)
class Guard:
    """The limits that belong to addresses and accounts, not to a session.

    Attributes:
        limits: What the operator has set.
        connections: Open connections by what their addresses count as.
        total: Open connections.
        registrations: New accounts, likewise.
        failures: Wrong passwords, likewise and by account.
    """

    limits: Limits
    connections: Counter[str] = attrs.Factory(Counter)
    total: int = 0
    registrations: Buckets = attrs.field(init=False)
    failures: Failures = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.failures = Failures(self.limits.free_login_failures)
        per_hour = self.limits.registrations_per_hour
        self.registrations = Buckets(rate=per_hour / HOUR_S, burst=per_hour)

    def adopt(self, limits: Limits) -> None:
        """Go on with other limits; what was counted so far still counts."""
        per_hour = limits.registrations_per_hour
        self.limits = limits
        self.failures.free = limits.free_login_failures
        self.registrations.rate, self.registrations.burst = per_hour / HOUR_S, per_hour

    def trusts(self, peer: str) -> bool:
        """Whether an address is exempt from the limits of addresses."""
        try:
            address = ipaddress.ip_address(peer)
        except ValueError:
            return False
        return any(address in ipaddress.ip_network(network) for network in self.limits.trusted)

    def arrive(self, peer: str) -> str | None:
        """Count a new connection; why it may not stay, fit for a log line, or None."""
        counted = counted_as(peer)
        self.connections[counted] += 1
        self.total += 1
        if self.total > self.limits.max_connections:
            return "too many connections"
        if self.connections[counted] > self.limits.connections_per_address and not self.trusts(peer):
            return "too many connections from one address"
        return None

    def leave(self, peer: str) -> None:
        """A connection has ended."""
        self.total -= 1
        counted = counted_as(peer)
        self.connections[counted] -= 1
        if self.connections[counted] <= 0:
            del self.connections[counted]

    async def tried(
        self, name: str, peer: str, now: Callable[[], float], verify: Callable[[], Awaitable[T | None]]
    ) -> T | None:
        """What comes of a password or a code, None if it is wrong; who guesses waits longer each time."""
        delay_s = self.login_delay_s(peer, name, now())
        if delay_s:
            log.warning("login delayed", peer=peer, delay_s=delay_s)
            await trio.sleep(delay_s)
        proven = await verify()
        if proven is None:
            self.login_failed(peer, name, now())
        else:
            self.login_succeeded(name)
        return proven

    def login_delay_s(self, peer: str, name: str, now: float) -> float:
        """How long the next try for this account from this address is made to wait."""
        by_name = self.failures.delay_s(f"name {name.lower()}", now)
        by_peer = self.failures.delay_s(f"peer {counted_as(peer)}", now)
        return by_name if by_peer <= by_name or self.trusts(peer) else by_peer

    def login_failed(self, peer: str, name: str, now: float) -> None:
        """A wrong password, or an unknown name."""
        self.failures.failed(f"name {name.lower()}", now)
        self.failures.failed(f"peer {counted_as(peer)}", now)

    def login_succeeded(self, name: str) -> None:
        """The right password; an address stays suspect, since an attacker may have an account of his own."""
        self.failures.succeeded(f"name {name.lower()}")

    def may_register(self, peer: str, now: float) -> bool:
        """Count a registration; whether it is within the bound."""
        return self.trusts(peer) or self.registrations.take(counted_as(peer), now)

    def tidy(self, now: float) -> None:
        """Forget what does not count any more, so that memory stays bounded."""
        self.registrations.forget_full(now)
        self.failures.forget_old(now)
