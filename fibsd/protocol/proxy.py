"""The PROXY protocol, version 2: who is behind a connection that a proxy passes on (HAProxy: proxy-protocol.txt, 2.2).

The header is read exactly, not a byte more: what follows it may belong to TLS.
"""

import ipaddress

SIGNATURE = b"\r\n\r\n\x00\r\nQUIT\n"
LOCAL_HEADER = SIGNATURE + b"\x20\x00\x00\x00"
"""What a proxy says in front of a connection of its own, such as a check of our health."""
_FIXED = 16
"""Bytes before the part whose length the header tells."""
LONGEST = 2048
"""Bytes that may follow them: addresses of every kind, and more extensions than any proxy sends."""
_VERSION = 2
_LOCAL, _PROXY = 0, 1
_INET, _INET6, _UNIX = 1, 2, 3
_DATAGRAM = 2
_SIZES = {_INET: 4, _INET6: 16}
_PORTS = 4


class MalformedHeader(Exception):
    """These bytes are no beginning of a header; the text is fit for a log line."""


def missing(data: bytes) -> int:
    """How many more bytes may be read before there is something new to decide; 0 when the header is whole.

    Args:
        data: All that was read so far.

    Raises:
        MalformedHeader: It can never become one.
    """
    if not SIGNATURE.startswith(data[: len(SIGNATURE)]):
        raise MalformedHeader("not of version 2")
    if len(data) < _FIXED:
        return _FIXED - len(data)
    version, command = data[12] >> 4, data[12] & 15
    if version != _VERSION:
        raise MalformedHeader(f"of version {version}")
    if command not in (_LOCAL, _PROXY):
        raise MalformedHeader(f"unknown command {command}")
    length = int.from_bytes(data[14:16], "big")
    if length > LONGEST:
        raise MalformedHeader(f"{_FIXED + length} bytes long")
    return _FIXED + length - len(data)


def source(data: bytes) -> str | None:
    """The network address for which the proxy speaks.

    Args:
        data: A whole header.

    Returns:
        None if it speaks for itself or does not tell: then the address of the connection counts.

    Raises:
        MalformedHeader: The header contradicts itself, or names kinds of addresses that there are not.
    """
    if data[12] & 15 == _LOCAL:
        return None
    family, transport = data[13] >> 4, data[13] & 15
    if family > _UNIX or transport > _DATAGRAM:
        raise MalformedHeader(f"unknown family {data[13]:#04x}")
    size = _SIZES.get(family)
    if size is None:
        return None
    if len(data) < _FIXED + 2 * size + _PORTS:
        raise MalformedHeader("without its addresses")
    address = ipaddress.ip_address(data[_FIXED : _FIXED + size])
    # One peer must not be known by two addresses, or a ban would miss him.
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return str(mapped or address)
