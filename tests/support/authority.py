"""Certificates for tests: an authority of our own, the server's certificate, and a client that trusts it."""

from __future__ import annotations

import ssl
from pathlib import Path

import trustme

from fibsd.config import Config, Tls

HOST = "server.example"


class Authority:
    """Signs certificates, and keeps files of the newest one."""

    def __init__(self, directory: Path) -> None:
        self._ca = trustme.CA()
        self.certificate = directory / "certificate.pem"
        self.key = directory / "key.pem"
        self.renew()

    def renew(self, host: str = HOST) -> None:
        """Put another certificate in the place of the present one."""
        issued = self._ca.issue_cert(host)
        self.certificate.write_bytes(b"".join(blob.bytes() for blob in issued.cert_chain_pems))
        self.key.write_bytes(issued.private_key_pem.bytes())

    @property
    def section(self) -> Tls:
        """What the server's configuration says of it."""
        return Tls(certificate=str(self.certificate), key=str(self.key))

    @property
    def config(self) -> Config:
        """A configuration with it and nothing else."""
        return Config(tls=self.section)

    def client(self) -> ssl.SSLContext:
        """How a client speaks TLS that trusts the authority, and nobody else."""
        context = ssl.create_default_context()
        self._ca.configure_trust(context)
        return context
