"""Talking."""

from fibsd.values import frozen
from fibsd.world.changes import Message
from fibsd.world.events.kinds import Speech


@frozen
class Told:
    """`tell` or `say`, for the one who is told."""

    sender: str
    text: str


@frozen
class YouTold:
    """`tell` or `say`, for the one who told; `away` is the other's text if he is away."""

    name: str
    text: str
    away: str | None


@frozen
class Spoke:
    """A shout, kibitz or whisper, for those who hear it."""

    sender: str
    kind: Speech
    text: str


@frozen
class YouSpoke:
    """A shout, kibitz or whisper, for the one who spoke; `heard_by` counts listeners (None for a shout)."""

    kind: Speech
    text: str
    heard_by: int | None


@frozen
class MessageSent:
    """A message was delivered at once, or saved."""

    name: str
    text: str
    saved: bool


@frozen
class MessageGot:
    """A message from somebody, while on-line."""

    message: Message
