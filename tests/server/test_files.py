"""Files that the configuration names: what is wrong with them is told with the key that names them."""

import ssl
from collections.abc import Callable
from pathlib import Path

import attrs
import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives import serialization

from fibsd.cli import main
from fibsd.config import Config, ConfigError, Server, Tls
from fibsd.server.files import Files, read_files
from tests.support.authority import Authority


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


def fault(config: Config) -> str:
    """What is wrong."""
    with pytest.raises(ConfigError) as caught:
        read_files(config)
    (text,) = caught.value.faults
    return text


def test_nothing_is_read_without_names() -> None:
    assert read_files(Config()) == Files(motd="", tls=None)


def test_message_of_the_day(tmp_path: Path) -> None:
    file = tmp_path / "motd"
    config = Config(server=Server(motd=str(file)))
    assert fault(config) == f"server.motd: {file}: cannot be read: No such file or directory"
    file.write_bytes(b"\xff")
    assert fault(config) == f"server.motd: {file}: cannot be read: it is not UTF-8"
    file.write_text("Welcome.\n")
    assert read_files(config).motd == "Welcome.\n"


def test_certificate(authority: Authority) -> None:
    context = read_files(authority.config).tls
    assert context is not None
    assert context.minimum_version is ssl.TLSVersion.TLSv1_2
    assert context.options & ssl.OP_NO_RENEGOTIATION


def test_certificate_and_key_in_one_file(authority: Authority) -> None:
    both = authority.key
    both.write_bytes(both.read_bytes() + authority.certificate.read_bytes())
    assert read_files(Config(tls=Tls(certificate=str(both), key=str(both)))).tls is not None


def _lock(authority: Authority) -> None:
    key = serialization.load_pem_private_key(authority.key.read_bytes(), None)
    locked = serialization.BestAvailableEncryption(b"secret")
    pem, form = serialization.Encoding.PEM, serialization.PrivateFormat
    authority.key.write_bytes(key.private_bytes(pem, form.PKCS8, locked))


def _swap_key(authority: Authority) -> None:
    certificate = authority.certificate.read_bytes()
    authority.renew()
    authority.certificate.write_bytes(certificate)


def _damage(authority: Authority) -> None:
    lines = authority.certificate.read_text().splitlines(keepends=True)
    authority.certificate.write_text("".join([lines[0], *lines[5:]]))


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda it: it.certificate.unlink(), "tls.certificate: {c}: cannot be read: No such file or directory"),
        (lambda it: it.key.unlink(), "tls.key: {k}: cannot be read: No such file or directory"),
        (lambda it: it.certificate.write_text("x"), "tls.certificate: {c}: holds no certificate in PEM form"),
        (lambda it: it.key.write_text("x"), "tls.key: {k}: holds no private key in PEM form"),
        (lambda it: it.key.write_bytes(b"\x30\x82\xff"), "tls.key: {k}: cannot be read: it is not UTF-8"),
        (_lock, "tls.key: {k}: is locked by a password"),
        (_swap_key, "tls.key: {k}: belongs to another certificate than {c}"),
        (_damage, "tls.certificate: {c}: cannot be used: "),
    ],
)
def test_certificate_that_cannot_be_used(authority: Authority, spoil: Callable[[Authority], None], told: str) -> None:
    spoil(authority)
    text = fault(authority.config)
    expected = told.format(c=authority.certificate, k=authority.key)
    assert text.startswith(expected)
    assert text == expected or told.endswith(": ")


@pytest.mark.parametrize("command", ["serve", "check-config"])
def test_program_does_not_start(authority: Authority, tmp_path: Path, command: str) -> None:
    """Exit status 2 and one line, before anything is opened."""
    section = attrs.asdict(authority.section)
    authority.key.unlink()
    lines = ['[listen]\ntls = ["127.0.0.1:0"]\n[tls]', *(f'{key} = "{value}"' for key, value in section.items())]
    file = tmp_path / "config.toml"
    file.write_text("\n".join([*lines, '[database]\nurl = "memory:"']))
    done = CliRunner().invoke(main, [command, "--config", str(file)])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == f"tls.key: {authority.key}: cannot be read: No such file or directory\n"


def test_other_commands_do_not_read_them(authority: Authority, tmp_path: Path) -> None:
    """Whoever lists users need not be able to read the key."""
    authority.key.unlink()
    file = tmp_path / "config.toml"
    file.write_text(f'[tls]\ncertificate = "{authority.certificate}"\nkey = "{authority.key}"\n')
    done = CliRunner().invoke(main, ["user", "list", "--config", str(file), "--database", "memory:"])
    assert (done.exit_code, done.stderr) == (0, "")
