"""The configuration: the file that comes with the server, and every kind of fault."""

import re
import tomllib
from pathlib import Path

import attrs
import pytest

from fibsd.config import (
    KINDS,
    Bot,
    Config,
    ConfigError,
    Limits,
    Listen,
    find_config,
    load_config,
    parse_address,
    parse_config,
    structure,
)
from tests.docs import ROOT
from tests.docs.config import comments
from tests.docs.config import keys as keys_of

SHIPPED = (ROOT / "config.toml").read_text(encoding="utf-8")
OPTIONAL = re.sub(r"^#(?! )", "", SHIPPED, flags=re.MULTILINE)
"""The same with the sections that are commented out."""
KEYS = {f"{section.name}.{key.name}" for section in attrs.fields(Config) for key in keys_of(section)}


def faults(text: str) -> list[str]:
    """Everything that is found wrong in a TOML text."""
    with pytest.raises(ConfigError) as caught:
        parse_config(text, "config.toml")
    return caught.value.faults


# --- the file that comes with the server -----------------------------------------------------------------------


def test_shipped_file_sets_the_defaults() -> None:
    assert parse_config(SHIPPED, "config.toml") == Config()


def test_shipped_file_has_every_key() -> None:
    table = tomllib.loads(OPTIONAL)
    found = set()
    for section, value in table.items():
        for keys in value if isinstance(value, list) else [value]:
            found |= {f"{section}.{key}" for key in keys}
    assert found == KEYS


def test_sections_that_are_commented_out_show_the_defaults() -> None:
    assert parse_config(OPTIONAL, "config.toml") == Config(bots=(Bot(),))


def test_shipped_file_has_a_comment_for_every_section_and_key() -> None:
    found = comments(SHIPPED)
    assert found.keys() == KEYS | {section.name for section in attrs.fields(Config)}
    assert all(found.values())


def test_every_key_has_a_type_that_can_be_told_in_words() -> None:
    assert {key.type for section in attrs.fields(Config) for key in keys_of(section)} <= KINDS.keys()


# --- what is right ---------------------------------------------------------------------------------------------


def test_what_is_left_out_has_its_default() -> None:
    assert parse_config("", "config.toml") == Config()
    assert parse_config("[limits]\nmax_users = 5\n", "config.toml") == Config(limits=Limits(max_users=5))


def test_a_whole_number_may_stand_for_seconds() -> None:
    idle_s = parse_config("[limits]\nidle_s = 90\n", "config.toml").limits.idle_s
    assert (idle_s, type(idle_s)) == (90.0, float)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:4321", ("127.0.0.1", 4321)),
        ("[::1]:4321", ("::1", 4321)),
        ("example.org:0", ("example.org", 0)),
        ("localhost:65535", ("localhost", 65535)),
    ],
)
def test_addresses(text: str, address: tuple[str, int]) -> None:
    assert parse_address(text) == address
    config = parse_config(f'[listen]\nclear = ["{text}"]\n', "config.toml")
    assert config == Config(listen=Listen(clear=(text,)))


# --- what is wrong ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('limits.idle_s = "4321"', 'limits.idle_s: must be a number, not "4321"'),
        ("limits.idle_s = true", "limits.idle_s: must be a number, not true"),
        ("limits.idle_s = nan", "limits.idle_s: must be a number, not NaN"),
        ("limits.idle_s = inf", "limits.idle_s: must be a number, not Infinity"),
        (f"limits.idle_s = 1{'0' * 400}", "limits.idle_s: int too large to convert to float"),
        ("limits.max_users = 1.5", "limits.max_users: must be a whole number, not 1.5"),
        ("limits.max_users = true", "limits.max_users: must be a whole number, not true"),
        ("server.operator = 7", "server.operator: must be a text in quotes, not 7"),
        ("server.operator = ['Ann']", 'server.operator: must be a text in quotes, not ["Ann"]'),
        ("server.operator = 2026-01-31", 'server.operator: must be a text in quotes, not "2026-01-31"'),
        ("listen.clear = '127.0.0.1:4321'", 'listen.clear: must be a list of texts, not "127.0.0.1:4321"'),
        ("listen.clear = ['[::1]:1', 4321]", 'listen.clear: must be a list of texts, not ["[::1]:1", 4321]'),
    ],
)
def test_wrong_type(line: str, fault: str) -> None:
    assert faults(line) == [f"config.toml.{fault}"]


def test_a_long_value_is_shortened() -> None:
    (fault,) = faults(f"server.operator = {list(range(100))}")
    assert fault.endswith("text in quotes, not [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 1...")


def test_a_text_is_neither_true_nor_false() -> None:
    @attrs.frozen(kw_only=True)
    class Switches:
        ghosts: bool = True

    found: list[str] = []
    assert structure(Switches, {"ghosts": False}, "config.toml", found) == Switches(ghosts=False)
    assert found == []
    assert structure(Switches, {"ghosts": "false"}, "config.toml", found) == Switches(ghosts=True)
    assert found == ['config.toml.ghosts: must be true or false, not "false"']


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("limits.idle_s = 0.5", "limits.idle_s: must be at least 1, not 0.5"),
        ("limits.login_attempts = -1", "limits.login_attempts: must be at least 1, not -1"),
        ("limits.line_bytes = 255", "limits.line_bytes: must be at least 256, not 255"),
        ("play.long_match_experience = -1", "play.long_match_experience: must be at least 0, not -1"),
        ("server.show_hosts = 'some'", 'server.show_hosts: must be one of full, masked, none, not "some"'),
        ("log.level = 'LOUD'", 'log.level: must be one of debug, info, warning, error, not "LOUD"'),
        ("log.format = ''", 'log.format: must be one of console, json, not ""'),
        ("listen.clear = []", "listen: clear or tls must name at least one address"),
        ("listen.tls = ['127.0.0.1:4322']", "listen.tls needs tls.certificate and tls.key"),
        (
            "auth = {memory_kib = 8, parallelism = 4}",
            "auth: memory_kib must be at least 8 for each lane of parallelism, here 32",
        ),
    ],
)
def test_out_of_range(line: str, fault: str) -> None:
    assert [text.replace("toml: ", "toml.") for text in faults(line)] == [f"config.toml.{fault}"]


@pytest.mark.parametrize(
    "address",
    [
        *("", "4321", ":4321", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:١٢٣"),
        *("::1:4321", "[::1]", "[::1]4321", "[host]:1", "a b:1", "a:1 "),
    ],
)
def test_bad_address(address: str) -> None:
    (fault,) = faults(f"[listen]\nclear = ['[::1]:4321', '{address}']\n")
    assert fault == f'config.toml.listen.clear: must be HOST:PORT, the port at most 65535, not "{address}"'
    with pytest.raises(ValueError, match="must be HOST:PORT"):
        parse_address(address)


def test_unknown_key_or_section() -> None:
    assert faults("[log]\nlevels = 'info'\n") == [
        "config.toml.log.levels: unknown; here may stand level, format, addresses"
    ]
    (fault,) = faults("[logs]\nlevel = 'info'\n")
    assert fault.startswith("config.toml.logs: unknown; here may stand listen, tls, database, ")
    assert faults("level = 'info'")[0].startswith("config.toml.level: unknown; ")


@pytest.mark.parametrize("text", ["log = 'info'", "log = ['info']", "[[log]]\nlevel = 'info'\n"])
def test_a_value_in_place_of_a_section(text: str) -> None:
    (fault,) = faults(text)
    assert fault.startswith("config.toml.log: must be a section, begun by a line [log], not ")


def test_a_list_of_sections() -> None:
    text = "[[bots]]\nname = 'Ann'\n[[bots]]\n"
    assert parse_config(text, "config.toml").bots == (Bot(name="Ann"), Bot())


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[bots]\nname = 'Ann'\n", 'bots: must be sections, each begun by a line [[bots]], not {"name": "Ann"}'),
        ("bots = ['Ann']\n", 'bots: must be sections, each begun by a line [[bots]], not ["Ann"]'),
        ("[[bots]]\n[[bots]]\nnames = 'Ann'\n", "bots[2].names: unknown; here may stand name, engine"),
        ("[[bots]]\nname = 'R2D2'\n", "bots[1].name: must have only letters and '_', at most 20, not \"R2D2\""),
        ("[[bots]]\nengine = 'gnubg'\n", 'bots[1].engine: must be one of builtin, not "gnubg"'),
    ],
)
def test_faults_in_a_list_of_sections(text: str, fault: str) -> None:
    assert faults(text)[0] == f"config.toml.{fault}"


def test_bots_have_different_names() -> None:
    assert faults("[[bots]]\nname = 'Ann'\n[[bots]]\nname = 'ann'\n") == ["config.toml: bots must have different names"]


def test_all_faults_are_listed_in_the_order_of_the_file() -> None:
    text = """
        port = 4321
        [limits]
        idle_s = "4321"
        max_users = 0
        speed = "high"
        login_s = 30
        [log]
        level = "loud"
        format = 1
        [listen]
        clear = ["nowhere"]
        """
    assert [fault.partition(": ")[0] for fault in faults(text)] == [
        "config.toml.port",
        "config.toml.limits.idle_s",
        "config.toml.limits.max_users",
        "config.toml.limits.speed",
        "config.toml.log.level",
        "config.toml.log.format",
        "config.toml.listen.clear",
    ]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[limits\n", "(at line 1, column 8)"),
        ("[limits]\nidle_s = 60\nidle_s = 70\n", "(at line 3, column 12)"),
        ("[limits]\nidle_s 60\n", "(at line 2, column 8)"),
        (f"a = 1{'0' * 5000}", "4300 digits"),
    ],
)
def test_not_toml(text: str, place: str) -> None:
    (fault,) = faults(text)
    assert fault.startswith("config.toml: this is not TOML: ")
    assert place in fault


# --- files -----------------------------------------------------------------------------------------------------


def test_no_file_means_the_defaults() -> None:
    assert load_config(None) == Config()


def test_a_file_is_read_and_its_faults_are_called_after_it(tmp_path: Path) -> None:
    file = tmp_path / "my.toml"
    # Some editors begin a file with this sign.
    file.write_text("\ufeff[limits]\nmax_users = 5\n", encoding="utf-8")
    assert load_config(file).limits.max_users == 5
    file.write_text("[limits]\nmax_users = 0\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_config(file)
    assert str(caught.value) == f"{file}.limits.max_users: must be at least 1, not 0"


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    missing = tmp_path / "missing.toml"
    with pytest.raises(ConfigError) as caught:
        load_config(missing)
    assert caught.value.faults == [f"{missing}: cannot be read: No such file or directory"]
    latin = tmp_path / "latin.toml"
    latin.write_bytes(b'[server]\noperator = "J\xf6rg"\n')
    with pytest.raises(ConfigError) as caught:
        load_config(latin)
    assert caught.value.faults == [f"{latin}: cannot be read: it is not UTF-8"]


def test_where_the_file_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The given one, the environment's, the one in the working directory; a given one need not exist."""
    monkeypatch.chdir(tmp_path)
    assert find_config("given.toml", "other.toml") == Path("given.toml")
    assert find_config(None, "other.toml") == Path("other.toml")
    (tmp_path / "config.toml").touch()
    assert find_config(None, None) == Path("config.toml")
    assert find_config(None, "") == Path("config.toml")
