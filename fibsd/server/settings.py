"""From the operator's configuration to what the parts of the server take, at the start and while it runs."""

import ipaddress
import unicodedata
from collections.abc import Mapping
from importlib import resources

import attrs

from fibsd import __version__
from fibsd.config import Auth, Config
from fibsd.protocol.help import load_pages
from fibsd.server.entrance import Network
from fibsd.world.world import HouseRules, ServerFacts

AT_START: Mapping[str, tuple[str, ...]] = {
    "listen": ("clear", "tls"),
    "database": ("url",),
    "auth": tuple(field.name for field in attrs.fields(Auth)),
    "admin": ("socket",),
    "metrics": ("listen",),
}
"""Keys that are looked at when the server starts and not again, by section. All others
but `bots`, which are begun at the start too, count at once."""


def needs_restart(running: Config, wanted: Config) -> list[str]:
    """The keys with another value than the server was started with, and that only a restart can change."""
    changed = [
        f"{section}.{key}"
        for section, keys in AT_START.items()
        for key in keys
        if getattr(getattr(running, section), key) != getattr(getattr(wanted, section), key)
    ]
    return changed if running.bots == wanted.bots else [*changed, "bots"]


def proxies(config: Config) -> tuple[Network, ...]:
    """Networks from where a proxy speaks for users."""
    return tuple(ipaddress.ip_network(text) for text in config.listen.proxy_from)


def house_rules(config: Config) -> HouseRules:
    """What is decided about play."""
    play, points, limits = config.play, config.points, config.limits
    return HouseRules(
        long_match=play.long_match,
        long_match_experience=play.long_match_experience,
        max_saved=play.max_saved,
        max_messages=limits.max_messages,
        shouts_per_minute=limits.shouts_per_minute,
        messages_per_minute=limits.messages_per_minute,
        invitations_per_minute=limits.invitations_per_minute,
        play_points=points.enabled,
        start_points=points.start,
        fee_percent=points.fee_percent,
        adjudicate_after=play.adjudicate_after,
    )


def server_facts(config: Config, started: float) -> ServerFacts:
    """What users may know of the server, which started at that Unix second."""
    return ServerFacts(
        version=__version__,
        started=started,
        max_users=config.limits.max_users,
        operator=f"{config.server.operator} ({config.server.email})",
        help=load_pages(),
        countries=_countries(),
    )


def _plain(name: str) -> str:
    """A name in ASCII, its letters without their marks."""
    letters = unicodedata.normalize("NFKD", name.replace("\u2019", "'"))
    return letters.encode("ascii", "ignore").decode()


def _countries() -> tuple[str, ...]:
    """Codes of countries with their names, from the zone database."""
    text = resources.files("tzdata.zoneinfo").joinpath("iso3166.tab").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
    return tuple(f"  {code.lower()}  {_plain(name)}" for code, name in rows)
