"""The operator's configuration: TOML to frozen values. Every fault is named with its key.

What each key means stands in `config.toml`, the file that operators read.
"""

import ipaddress
import json
import math
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar, get_args

import attrs

from fibsd.values import frozen

T = TypeVar("T")

_NAME = re.compile("[A-Za-z_]{1,20}", re.ASCII)
_ADDRESS = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^:\[\]\s]+):([0-9]{1,5})", re.ASCII)


class ConfigError(Exception):
    """The configuration is wrong; `faults` names every wrong key."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


def _shown(value: object) -> str:
    """A value much as it stands in the file, shortened."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else f"{text[:60]}..."


@frozen
class Bound:
    """A validator that tells what it takes: its words follow on "must be"."""

    words: str
    takes: Callable[[Any], bool]

    def __call__(self, _: object, attribute: "attrs.Attribute[Any]", value: object) -> None:
        """Check a value, as attrs asks it of a validator."""
        if not self.takes(value):
            raise ValueError(f"must be {self.words}, not {_shown(value)}")


def _at_least(least: float) -> Bound:
    return Bound(f"at least {least}", lambda value: value >= least)


_percent = Bound("from 0 to 100", lambda value: 0 <= value <= 100)


def _one_of(*words: str) -> Bound:
    return Bound(f"one of {', '.join(words)}", words.__contains__)


def _user_name(_: object, attribute: "attrs.Attribute[Any]", value: str) -> None:
    if not _NAME.fullmatch(value):
        raise ValueError(f"must have only letters and '_', at most 20, not {_shown(value)}")


def _addresses(_: object, attribute: "attrs.Attribute[Any]", value: tuple[str, ...]) -> None:
    for text in value:
        parse_address(text)


def _perhaps_address(_: object, attribute: "attrs.Attribute[Any]", value: str) -> None:
    if value:
        parse_address(value)


def _networks(_: object, attribute: "attrs.Attribute[Any]", value: tuple[str, ...]) -> None:
    for text in value:
        try:
            ipaddress.ip_network(text)
        except ValueError:
            raise ValueError(f"must be networks such as 192.0.2.0/24, not {_shown(text)}") from None


def parse_address(text: str) -> tuple[str, int]:
    """Host and port of `HOST:PORT`; an IPv6 address stands in brackets.

    Raises:
        ValueError: It is no such text.
    """
    match = _ADDRESS.fullmatch(text)
    if match is None or int(match[2]) > 65535:
        raise ValueError(f"must be HOST:PORT, the port at most 65535, not {_shown(text)}")
    return match[1].strip("[]"), int(match[2])


@frozen(kw_only=True)
class Listen:
    """Where the server accepts connections."""

    clear: tuple[str, ...] = attrs.field(default=("127.0.0.1:4321",), validator=_addresses)
    tls: tuple[str, ...] = attrs.field(default=(), validator=_addresses)
    proxy_from: tuple[str, ...] = attrs.field(default=(), validator=_networks)

    def __attrs_post_init__(self) -> None:
        if not (self.clear or self.tls):
            raise ValueError("clear or tls must name at least one address")


@frozen(kw_only=True)
class Tls:
    """What the server shows to clients that encrypt: paths of PEM files."""

    certificate: str = ""
    key: str = ""


@frozen(kw_only=True)
class Database:
    """Where everything is kept: `sqlite:///PATH`, `postgresql://…`, or `memory:` for nothing."""

    url: str = "sqlite:///fibsd.db"


@frozen(kw_only=True)
class Server:
    """What the server shows of itself and of its users."""

    operator: str = "the operator"
    email: str = "postmaster@localhost"
    motd: str = ""
    show_hosts: str = attrs.field(default="masked", validator=_one_of("full", "masked", "none"))


@frozen(kw_only=True)
class Limits:
    """Bounds that keep one client from hurting the others."""

    max_users: int = attrs.field(default=10_000, validator=_at_least(1))
    max_connections: int = attrs.field(default=12_000, validator=_at_least(1))
    connections_per_address: int = attrs.field(default=200, validator=_at_least(1))
    registrations_per_hour: int = attrs.field(default=100, validator=_at_least(1))
    commands_per_s: float = attrs.field(default=100.0, validator=_at_least(0.1))
    commands_burst: int = attrs.field(default=400, validator=_at_least(1))
    flood_lines: int = attrs.field(default=1_000, validator=_at_least(10))
    shouts_per_minute: int = attrs.field(default=20, validator=_at_least(1))
    messages_per_minute: int = attrs.field(default=20, validator=_at_least(1))
    invitations_per_minute: int = attrs.field(default=60, validator=_at_least(1))
    trusted: tuple[str, ...] = attrs.field(default=(), validator=_networks)
    line_bytes: int = attrs.field(default=4096, validator=_at_least(256))
    outbox_bytes: int = attrs.field(default=2_000_000, validator=_at_least(65_536))
    outbox_total_bytes: int = attrs.field(default=256_000_000, validator=_at_least(1_000_000))
    idle_s: float = attrs.field(default=3600.0, validator=_at_least(1))
    login_s: float = attrs.field(default=60.0, validator=_at_least(1))
    free_login_failures: int = attrs.field(default=3, validator=_at_least(0))
    login_attempts: int = attrs.field(default=3, validator=_at_least(1))
    max_messages: int = attrs.field(default=20, validator=_at_least(1))


@frozen(kw_only=True)
class Auth:
    """Cost of a password hash (Argon2id), and how many are made at once."""

    time_cost: int = attrs.field(default=2, validator=_at_least(1))
    memory_kib: int = attrs.field(default=19_456, validator=_at_least(8))
    parallelism: int = attrs.field(default=1, validator=_at_least(1))
    threads: int = attrs.field(default=1, validator=_at_least(1))

    def __attrs_post_init__(self) -> None:
        if self.memory_kib < 8 * self.parallelism:
            raise ValueError(f"memory_kib must be at least 8 for each lane of parallelism, here {8 * self.parallelism}")


@frozen(kw_only=True)
class Play:
    """Rules of the house."""

    long_match: int = attrs.field(default=9, validator=_at_least(1))
    long_match_experience: int = attrs.field(default=50, validator=_at_least(0))
    max_saved: int = attrs.field(default=8, validator=_at_least(1))
    adjudicate_after: int = attrs.field(default=0, validator=_at_least(0))


@frozen(kw_only=True)
class Points:
    """Play points, which can be staked on matches and have no other use."""

    enabled: bool = False
    start: int = attrs.field(default=1000, validator=_at_least(1))
    fee_percent: int = attrs.field(default=0, validator=_percent)


@frozen(kw_only=True)
class Admin:
    """How the operator speaks to the running server: a local Unix socket, or none if the path is empty."""

    socket: str = "fibsd-admin.sock"


@frozen(kw_only=True)
class Metrics:
    """Figures for the operator's monitoring: where they can be asked for, or nowhere if it is empty."""

    listen: str = attrs.field(default="", validator=_perhaps_address)


@frozen(kw_only=True)
class Log:
    """What is logged, and how it looks."""

    level: str = attrs.field(default="info", validator=_one_of("debug", "info", "warning", "error"))
    format: str = attrs.field(default="console", validator=_one_of("console", "json"))
    addresses: bool = True


@frozen(kw_only=True)
class Bot:
    """A program that plays beside the server, begun and ended by it."""

    name: str = attrs.field(default="fibsd_bot", validator=_user_name)
    engine: str = attrs.field(default="builtin", validator=_one_of("builtin"))


@frozen(kw_only=True)
class Config:
    """Everything an operator can set."""

    listen: Listen = Listen()
    tls: Tls = Tls()
    database: Database = Database()
    server: Server = Server()
    limits: Limits = Limits()
    auth: Auth = Auth()
    play: Play = Play()
    points: Points = Points()
    admin: Admin = Admin()
    metrics: Metrics = Metrics()
    log: Log = Log()
    bots: tuple[Bot, ...] = ()

    def __attrs_post_init__(self) -> None:
        if self.listen.tls and not (self.tls.certificate and self.tls.key):
            raise ValueError("listen.tls needs tls.certificate and tls.key")
        if len({bot.name.lower() for bot in self.bots}) < len(self.bots):
            raise ValueError("bots must have different names")


KINDS: Mapping[Any, str] = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    str: "a text in quotes",
    tuple[str, ...]: "a list of texts",
}
"""The types that a key may have, in words."""


def section_class(field: "attrs.Attribute[Any]") -> type | None:
    """The class of the section that the field stands for, or of each of a list of sections; None for a key."""
    kind = field.type
    if kind is not None and attrs.has(kind):
        return kind
    item = next(iter(get_args(kind)), None)
    return item if item is not None and attrs.has(item) else None


def structure(kind: type[T], table: Mapping[str, object], path: str, faults: list[str]) -> T:
    """Values of this attrs class out of a TOML table; a default stands in for each one that is wrong.

    By hand: a converter would turn `"4321"` into a number, and tell of one fault only in each section.
    `faults` gets a line for everything that is wrong, in the order of the file, each with its `path`.
    """
    fields = {field.name: field for field in attrs.fields(kind)}  # type: ignore[arg-type] # an attrs class
    values: dict[str, object] = {}
    for key, value in table.items():
        where = f"{path}.{key}"
        if key not in fields:
            faults.append(f"{where}: unknown; here may stand {', '.join(fields)}")
            continue
        try:
            section = section_class(fields[key])
            if section is None:
                values[key] = _checked(fields[key], value)
            else:
                values[key] = _section(fields[key], section, value, where, faults)
        except (ValueError, OverflowError) as error:
            faults.append(f"{where}: {error}")
    try:
        return kind(**values)
    except ValueError as error:
        faults.append(f"{path}: {error}")
        return kind()


def _section(field: "attrs.Attribute[Any]", section: type, value: object, where: str, faults: list[str]) -> object:
    """A section, or all of a list of them; raises `ValueError` if the value is none."""
    if section is field.type:
        if not isinstance(value, dict):
            raise ValueError(f"must be a section, begun by a line [{field.name}], not {_shown(value)}")
        return structure(section, value, where, faults)
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise ValueError(f"must be sections, each begun by a line [[{field.name}]], not {_shown(value)}")
    return tuple(structure(section, item, f"{where}[{nth}]", faults) for nth, item in enumerate(value, 1))


def _checked(field: "attrs.Attribute[Any]", value: object) -> object:
    """The value, if it is what its key wants; raises `ValueError` if not."""
    if field.type is float and type(value) is int:
        value = float(value)
    elif field.type == tuple[str, ...] and isinstance(value, list) and all(isinstance(item, str) for item in value):
        value = tuple(value)
    elif type(value) is not field.type or (isinstance(value, float) and not math.isfinite(value)):
        raise ValueError(f"must be {KINDS[field.type]}, not {_shown(value)}")
    if field.validator is not None:
        field.validator(None, field, value)
    return value


def parse_config(text: str, name: str) -> Config:
    """The configuration that a TOML text tells of.

    Raises:
        ConfigError: Something in it is wrong; all faults are listed, each after the name (the path of the file).
    """
    try:
        table = tomllib.loads(text)
    except ValueError as error:
        raise ConfigError([f"{name}: this is not TOML: {error}"]) from error
    faults: list[str] = []
    config = structure(Config, table, name, faults)
    if faults:
        raise ConfigError(faults)
    return config


def find_config(path: str | None, environment: str | None) -> Path | None:
    """The file to be read: the given one, `$FIBSD_CONFIG`, `./config.toml`, `/etc/fibsd/config.toml`, or none."""
    if named := path or environment:
        return Path(named)
    usual = (Path("config.toml"), Path("/etc/fibsd/config.toml"))
    return next((file for file in usual if file.is_file()), None)


def load_config(path: Path | None) -> Config:
    """Read a file, or take the built-in defaults.

    Raises:
        ConfigError: The file cannot be read, or something in it is wrong.
    """
    if path is None:
        return Config()
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ConfigError([f"{path}: cannot be read: {reason}"]) from error
    return parse_config(text, str(path))
