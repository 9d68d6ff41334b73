"""The on-line help: one text file for each page, and how words lead to a page (FIBS help: help)."""

from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Final

from fibsd.protocol.words import unique_prefix
from fibsd.world.account import Toggle

Pages = Mapping[str, tuple[str, ...]]

_ROWS: Final = (
    "about",
    "accept address autologin average away",
    "back beaver beginner board",
    "boardstyle bye client cls commands",
    "complaints countries crawford date dicetest",
    "double erase formula gag help",
    "hostnames invite join kibitz last",
    "leave look man message motd",
    "move names off oldboard oldmoves",
    "otter panic password pip raccoon",
    "ratings rawboard rawwho redouble reject",
    "resign roll rules save say",
    "set shout show shutdown sortwho",
    "stat tell time timezones tinyfugue",
    "toggle unwatch version watch wave",
    "where whisper who whois !!",
)
"""The list of topics, row by row as FIBS prints it: its gaps are FIBS's (reference 3.2)."""

_INDENT: Final = "  "
_COLUMN: Final = 12

TOPICS: Final[tuple[str, ...]] = tuple(topic for row in _ROWS for topic in row.split(" "))
"""The topics of FIBS, in its order."""

_TOGGLES: Final[Mapping[str, str]] = {
    **{toggle.value: f"toggle-{toggle.value}" for toggle in Toggle},
    "autoroll": "toggle-double",
    "r": "toggle-ready",
}
"""The page of each word that `toggle` takes."""

_VARIABLES: Final[Mapping[str, str]] = {
    "boardstyle": "boardstyle",
    "bot": "bot",
    "charset": "charset",
    "extras": "extras",
    "linelength": "linelength",
    "pagelength": "pagelength",
    "playout": "playout",
    "redoubles": "redoubles",
    "sortwho": "sortwho",
    "timezone": "timezones",
}
"""The page of each variable."""

_FAMILIES: Final[Mapping[str, Mapping[str, str]]] = {"toggle": _TOGGLES, "set": _VARIABLES}

ALIASES: Final[Mapping[str, str]] = {
    # Switches that share no name with a command: `r` is a short form of another word there.
    **{word: page for word, page in _TOGGLES.items() if len(word) > 1},
    "adios": "bye",
    "ciao": "bye",
    "end": "bye",
    "exit": "bye",
    "logout": "bye",
    "quit": "bye",
    "tschoe": "bye",
    "clear": "cls",
    "repeat": "!!",
    "timezone": "timezones",
    # The short forms of commands.
    "b": "board",
    "i": "invite",
    "k": "kibitz",
    "m": "move",
    "r": "roll",
    "s": "say",
    "t": "tell",
    "w": "who",
    "wh": "whisper",
}
"""Other words for a page. A page of that very name comes first, so `crawford` is not `toggle-crawford`."""

_FILE_NAMES: Final[Mapping[str, str]] = {"repeat": "!!"}
"""Topics whose name cannot be that of a file."""

_SUFFIX: Final = ".txt"


def load_pages() -> Pages:
    """All pages by topic: lines without their ends, ready to be sent. Reads the files; to be called once."""
    files = [file for file in resources.files(__name__).iterdir() if file.name.endswith(_SUFFIX)]
    texts = {file.name.removesuffix(_SUFFIX): file.read_text(encoding="ascii") for file in files}
    return {
        _FILE_NAMES.get(name, name): tuple(text.removesuffix("\n").split("\n")) for name, text in sorted(texts.items())
    }


def topic_list() -> tuple[str, ...]:
    """What `help` alone prints."""
    return tuple((_INDENT + "".join(f"{topic:<{_COLUMN}}" for topic in row.split(" "))).rstrip(" ") for row in _ROWS)


def find_topic(words: Sequence[str], pages: Pages) -> str | None:
    """The page that somebody means.

    The name of a page comes first, then an alias, then the beginning of a topic of FIBS if it is the only one,
    then the beginning of any other word. After `toggle` and `set` a second word names one switch or variable;
    after all others it is ignored.

    Args:
        words: What was typed after `help`, in any letter case.
        pages: All pages, see `load_pages`.

    Returns:
        A key of `pages`; None if the words mean none or several of them.
    """
    if not words:
        return None
    topic = _page_of(words[0].lower(), pages)
    family = _FAMILIES.get(topic or "")
    if family is None or len(words) == 1:
        return topic
    second = words[1].lower()
    return family.get(second) or _only_page(second, family)


def _page_of(word: str, pages: Pages) -> str | None:
    if word in pages:
        return word
    if word in ALIASES:
        return ALIASES[word]
    if any(topic.startswith(word) for topic in TOPICS):
        return unique_prefix(word, TOPICS)
    return _only_page(word, {**{name: name for name in pages}, **ALIASES})


def _only_page(word: str, page_of: Mapping[str, str]) -> str | None:
    """The page that all words with this beginning lead to, if it is one and the same."""
    found = {page for name, page in page_of.items() if name.startswith(word)}
    return found.pop() if len(found) == 1 else None
