"""The on-line help, cut into the parts that the reference pages are made of."""

import re
from collections.abc import Sequence

from fibsd.protocol.help import Pages, find_topic, load_pages
from tests.docs.markdown import sentences

HEADINGS = ("NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLE", "SEE ALSO", "DEFAULT", "VALUES")
_QUOTED = re.compile(r"(?<![A-Za-z])'([^']+)'(?![A-Za-z])")


class HelpPages:
    """All pages of the on-line help."""

    def __init__(self) -> None:
        """Read them."""
        self._pages: Pages = load_pages()

    def topic(self, words: Sequence[str]) -> str:
        """The name of the page that these words lead to."""
        topic = find_topic(words, self._pages)
        if topic is None:
            raise ValueError(f"no page of the help for {words}")
        return topic

    def part(self, topic: str, heading: str) -> list[str]:
        """The lines below a heading, without their indent; none if the page has no such heading."""
        lines: list[str] = []
        inside = False
        for line in self._pages[topic]:
            if line in HEADINGS:
                inside = line == heading
            elif inside:
                lines.append(line[4:])
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def summary(self, topic: str) -> str:
        """What stands behind the name."""
        return self.part(topic, "NAME")[0].partition(" - ")[2]

    def paragraphs(self, topic: str) -> list[list[str]]:
        """The description: the sentences of each paragraph, fit for Markdown."""
        text = "\n".join(self.part(topic, "DESCRIPTION"))
        return [[marked(one) for one in sentences(paragraph)] for paragraph in text.split("\n\n")]


def marked(text: str) -> str:
    """A text of the help with what is quoted there as code."""
    return _QUOTED.sub(r"`\1`", text).replace("<", "&lt;")
