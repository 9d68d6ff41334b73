"""The operator's configuration: TOML to frozen values. Every fault is named with its key."""

import operator
import re
import tomllib
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import cattrs
from cattrs import ClassValidationError, transform_error
from cattrs.gen import make_dict_structure_fn

_ADDRESS = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^:\[\]\s]+):([0-9]{1,5})", re.ASCII)


class ConfigError(Exception):
    """The configuration is wrong; `faults` names every wrong key."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


def _at_least(least: float) -> Any:  # noqa: ANN401 - what attrs takes for a validator
    def check(_: object, attribute: "attrs.Attribute[Any]", value: float) -> None:
        if value < least:
            raise ValueError(f"must be at least {least}, not {value}")

    return check


def _one_of(*values: str) -> Any:  # noqa: ANN401 - what attrs takes for a validator
    def check(_: object, attribute: "attrs.Attribute[Any]", value: str) -> None:
        if value not in values:
            raise ValueError(f"must be one of {', '.join(values)}, not {value!r}")

    return check


def _addresses(_: object, attribute: "attrs.Attribute[Any]", value: tuple[str, ...]) -> None:
    for text in value:
        parse_address(text)


def parse_address(text: str) -> tuple[str, int]:
    """Host and port of `HOST:PORT`; an IPv6 address stands in brackets.

    Raises:
        ValueError: It is no such text.
    """
    match = _ADDRESS.fullmatch(text)
    if match is None or int(match[2]) > 65535:
        raise ValueError(f"must be HOST:PORT, not {text!r}")
    return match[1].strip("[]"), int(match[2])


@attrs.frozen(kw_only=True)
class Listen:
    """Where the server accepts connections."""

    clear: tuple[str, ...] = attrs.field(default=("127.0.0.1:4321",), validator=_addresses)


@attrs.frozen(kw_only=True)
class Database:
    """Where everything is kept: `sqlite:///PATH`, or `memory:` for nothing."""

    url: str = "sqlite:///fibsd.db"


@attrs.frozen(kw_only=True)
class Server:
    """What the server shows of itself and of its users."""

    operator: str = "the operator"
    email: str = "postmaster@localhost"
    motd: str = ""
    show_hosts: str = attrs.field(default="masked", validator=_one_of("full", "masked", "none"))


@attrs.frozen(kw_only=True)
class Limits:
    """Bounds that keep one client from hurting the others."""

    max_users: int = attrs.field(default=10_000, validator=_at_least(1))
    line_bytes: int = attrs.field(default=4096, validator=_at_least(256))
    outbox_bytes: int = attrs.field(default=2_000_000, validator=_at_least(65_536))
    outbox_total_bytes: int = attrs.field(default=256_000_000, validator=_at_least(1_000_000))
    idle_s: float = attrs.field(default=3600.0, validator=_at_least(1))
    login_s: float = attrs.field(default=60.0, validator=_at_least(1))
    login_attempts: int = attrs.field(default=3, validator=_at_least(1))
    max_messages: int = attrs.field(default=20, validator=_at_least(1))


@attrs.frozen(kw_only=True)
class Auth:
    """Cost of a password hash (Argon2id), and how many are made at once."""

    time_cost: int = attrs.field(default=2, validator=_at_least(1))
    memory_kib: int = attrs.field(default=19_456, validator=_at_least(8))
    parallelism: int = attrs.field(default=1, validator=_at_least(1))
    threads: int = attrs.field(default=1, validator=_at_least(1))


@attrs.frozen(kw_only=True)
class Play:
    """Rules of the house."""

    long_match: int = attrs.field(default=9, validator=_at_least(1))
    long_match_experience: int = attrs.field(default=50, validator=_at_least(0))
    max_saved: int = attrs.field(default=8, validator=_at_least(1))


@attrs.frozen(kw_only=True)
class Log:
    """What is logged, and how it looks."""

    level: str = attrs.field(default="info", validator=_one_of("debug", "info", "warning", "error"))
    format: str = attrs.field(default="console", validator=_one_of("console", "json"))


@attrs.frozen(kw_only=True)
class Config:
    """Everything an operator can set."""

    listen: Listen = Listen()
    database: Database = Database()
    server: Server = Server()
    limits: Limits = Limits()
    auth: Auth = Auth()
    play: Play = Play()
    log: Log = Log()


def _converter() -> cattrs.Converter:
    """A converter that takes each type as it is: by default `"4321"` would be a number and `"false"` true."""
    converter = cattrs.Converter(forbid_extra_keys=True)

    def exact(kind: type) -> Any:  # noqa: ANN401 - a hook for any type
        def structure(value: object, _: type) -> object:
            if kind is float and type(value) is int:
                return float(value)
            if type(value) is not kind:
                raise TypeError(f"must be of type {kind.__name__}, not {value!r}")
            return value

        return structure

    for kind in (int, float, bool, str):
        converter.register_structure_hook_func(partial(operator.is_, kind), exact(kind))

    def strings(value: object, _: type) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise TypeError(f"must be a list of texts, not {value!r}")
        return tuple(value)

    converter.register_structure_hook_func(lambda wanted: wanted == tuple[str, ...], strings)
    for section in (Listen, Database, Server, Limits, Auth, Play, Log, Config):
        converter.register_structure_hook(
            section, make_dict_structure_fn(section, converter, _cattrs_forbid_extra_keys=True)
        )
    return converter


def parse_config(text: str, name: str) -> Config:
    """The configuration that a TOML text tells of.

    Args:
        text: TOML.
        name: What faults are called after, for instance the path of the file.

    Raises:
        ConfigError: Something in it is wrong; all faults are listed.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError([f"{name}: {error}"]) from error
    try:
        return _converter().structure(data, Config)
    except ClassValidationError as error:
        raise ConfigError([f"{fault}" for fault in transform_error(error, path=name)]) from error


def find_config(path: str | None, environment: str | None) -> Path | None:
    """The file to be read: the given one, `$FIBSD_CONFIG`, `./config.toml`, `/etc/fibsd/config.toml`, or none."""
    for named in (path, environment):
        if named:
            return Path(named)
    for usual in (Path("config.toml"), Path("/etc/fibsd/config.toml")):
        if usual.is_file():
            return usual
    return None


def load_config(path: Path | None) -> Config:
    """Read a file, or take the built-in defaults.

    Raises:
        ConfigError: The file cannot be read, or something in it is wrong.
    """
    if path is None:
        return Config()
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError([f"{path}: {error}"]) from error
    return parse_config(text, str(path))
