"""What a command answers to the one who typed it, in words that are the same for everybody."""

from fibsd.values import frozen
from fibsd.world.errors import Refusal


@frozen
class Text:
    """Lines that are the same for everybody who gets them."""

    lines: tuple[str, ...]


@frozen
class RoomLine:
    """A line for everybody who wants news of others (`notify`)."""

    text: str


@frozen
class Motd:
    """The message of the day."""

    lines: tuple[str, ...]


@frozen
class Asked:
    """A question that the next line answers; `hidden` if the answer must not be seen on the screen."""

    text: str
    hidden: bool = False


@frozen
class Alert:
    """A message of an administrator to everybody."""

    sender: str
    text: str


@frozen
class Attention:
    """An announcement of the server about itself, such as a shutdown to come."""

    text: str


@frozen
class ClosedByAdmin:
    """To a user whose connection an administrator closes."""

    admin: str
    reason: str


@frozen
class HelpPage:
    """A page of the on-line help."""

    lines: tuple[str, ...]


@frozen
class Declined:
    """A refusal, for the one who typed the command."""

    refusal: Refusal
    fields: dict[str, object]
