"""The message of the day in the frame that FIBS draws around it."""

WIDTH = 66
BORDER = f"+{'-' * (WIDTH + 2)}+"


def framed(text: str) -> tuple[str, ...]:
    """The lines to be shown; none for an empty text.

    The frame also keeps a line from beginning with a digit, which a client could take for a numbered message.
    """
    if not text.strip():
        return ()
    return (BORDER, *(f"| {line[:WIDTH]:<{WIDTH}} |" for line in text.split("\n")), BORDER)


def unframed(lines: tuple[str, ...]) -> tuple[str, ...]:
    """The text of a framed message again."""
    return tuple(line[2:-2].rstrip() for line in lines[1:-1])
