"""What stands in the files that the configuration names."""

import re
import ssl
from pathlib import Path

from fibsd.config import Config, ConfigError
from fibsd.values import frozen

_CERTIFICATE = re.compile(r"^-----BEGIN CERTIFICATE-----", re.MULTILINE)
_KEY = re.compile(r"^-----BEGIN ([A-Z]+ )?PRIVATE KEY-----", re.MULTILINE)
_LOCKED_KEY = re.compile(r"^-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED", re.MULTILINE)


@frozen(kw_only=True)
class Files:
    """Contents of files.

    Attributes:
        motd: The message of the day; empty for none.
        tls: How TLS is spoken, with the server's certificate; None if no certificate is configured.
    """

    motd: str = ""
    tls: ssl.SSLContext | None = None


def read_files(config: Config) -> Files:
    """Read all of them.

    Raises:
        ConfigError: A file cannot be read or used; the key of the configuration that names it is told.
    """
    named = config.tls
    return Files(
        motd=_read("server.motd", config.server.motd) if config.server.motd else "",
        tls=_tls(named.certificate, named.key) if named.certificate and named.key else None,
    )


def _read(key: str, path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ConfigError([f"{key}: {path}: cannot be read: {reason}"]) from error


def _tls(certificate: str, key: str) -> ssl.SSLContext:
    """TLS 1.2 or newer with this certificate.

    The files are looked into first, because OpenSSL does not tell which of them it means.
    """
    if not _CERTIFICATE.search(_read("tls.certificate", certificate)):
        raise ConfigError([f"tls.certificate: {certificate}: holds no certificate in PEM form"])
    key_text = _read("tls.key", key)
    if _LOCKED_KEY.search(key_text):
        # OpenSSL would ask for it at the terminal.
        raise ConfigError([f"tls.key: {key}: is locked by a password"])
    if not _KEY.search(key_text):
        raise ConfigError([f"tls.key: {key}: holds no private key in PEM form"])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # A client could make us compute for ever.
    context.options |= ssl.OP_NO_RENEGOTIATION
    try:
        context.load_cert_chain(certificate, key, password=str)
    except (ssl.SSLError, OSError) as error:
        reason = getattr(error, "reason", None) or str(error)
        if reason == "KEY_VALUES_MISMATCH":
            raise ConfigError([f"tls.key: {key}: belongs to another certificate than {certificate}"]) from error
        raise ConfigError([f"tls.certificate: {certificate}: cannot be used: {reason}"]) from error
    return context
