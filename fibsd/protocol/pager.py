"""Long answers in pages (FIBS help: pagelength)."""

from fibsd.values import frozen

LINE_END = b"\r\n"


@frozen
class Pages:
    """What remains of a long answer.

    Attributes:
        rest: Its lines, each with its end.
        length: Lines of a page.
    """

    rest: tuple[bytes, ...]
    length: int

    def turn(self) -> tuple[bytes, "Pages | None"]:
        """The next page, and what remains after it."""
        page, rest = self.rest[: self.length], self.rest[self.length :]
        return b"".join(page), Pages(rest, self.length) if rest else None


def paged(data: bytes, length: int) -> tuple[bytes, Pages | None]:
    """The first page of an answer, and what remains if it is longer than a page.

    Args:
        data: Whole lines.
        length: Lines of a page; 0 for no pages.
    """
    if not length:
        return data, None
    lines = _split(data)
    if len(lines) <= length:
        return data, None
    return Pages(lines, length).turn()


def _split(data: bytes) -> tuple[bytes, ...]:
    """Lines with their ends; only CR LF ends a line."""
    parts = data.split(LINE_END)
    lines = [part + LINE_END for part in parts[:-1]]
    return tuple(lines + ([parts[-1]] if parts[-1] else []))
