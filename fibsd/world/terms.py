"""Terms that players can add to a match: which there are, how they are typed, and which go together.

They are words after the length: `invite bob 5 blitz ghost`, `invite bob unlimited nackgammon jacoby`.
"""

from collections.abc import Callable, Mapping, Sequence

from fibsd.backgammon.variants import BACKGAMMON, VARIANTS, Variant
from fibsd.values import frozen
from fibsd.world.clock import BLITZ, STANDARD, ClockTerms
from fibsd.world.errors import Refusal, Refused

LARGEST_STAKE = 1_000_000
"""Most points that can be staked on a match."""

CLOCK = "clock"
GHOST = "ghost"
JACOBY = "jacoby"
NOCUBE = "nocube"
STAKE = "stake"
_CLOCKS: Mapping[str, ClockTerms] = {"blitz": BLITZ, "standard": STANDARD}
_VARIANTS: Mapping[str, Variant] = {name: variant for name, variant in VARIANTS.items() if variant is not BACKGAMMON}

KNOWN = (
    *_CLOCKS,
    f"{CLOCK} <bank> <bonus>",
    GHOST,
    NOCUBE,
    JACOBY,
    *_VARIANTS,
    f"{STAKE} <points>",
)
"""All terms, as a list for people."""


@frozen(kw_only=True)
class AddedTerms:
    """What two players agreed on besides what FIBS knows.

    Attributes:
        variant: What is played.
        clock: How much time each has, or None.
        ghost: Whether the server plays on for a player whose connection is lost.
        nocube: Whether the whole match is played without doubling.
        jacoby: Whether gammons count single until the cube was turned; in unlimited matches only.
        stake: Points that each sets aside for the winner, 0 for none; in matches with a length only.
    """

    variant: Variant = BACKGAMMON
    clock: ClockTerms | None = None
    ghost: bool = False
    nocube: bool = False
    jacoby: bool = False
    stake: int = 0

    def __bool__(self) -> bool:
        return self != NO_TERMS

    @property
    def words(self) -> str:
        """The words that stand for these terms, in one order; the form in which they are stored."""
        words = [] if self.variant is BACKGAMMON else [self.variant.name]
        if self.clock is not None:
            known = next((name for name, clock in _CLOCKS.items() if clock == self.clock), None)
            words.append(known or f"{CLOCK} {self.clock.bank_s} {self.clock.bonus_s}")
        words += [word for word, is_on in ((GHOST, self.ghost), (NOCUBE, self.nocube), (JACOBY, self.jacoby)) if is_on]
        if self.stake:
            words.append(f"{STAKE} {self.stake}")
        return " ".join(words)


NO_TERMS = AddedTerms()
"""A match as FIBS has it."""


def is_term(word: str) -> bool:
    """Whether a word is, or begins, an added term."""
    return word.lower() in _READERS


def parse_terms(words: Sequence[str], *, unlimited: bool) -> AddedTerms:
    """The terms that these words name, in any order and letter case, each once.

    Args:
        words: What stands behind the length.
        unlimited: Whether the match has no length.

    Raises:
        Refused: A word is unknown, comes twice, lacks its number, or clashes with another.
    """
    left = [word.lower() for word in words]
    found: dict[str, object] = {}
    typed: dict[str, str] = {}
    while left:
        word = left.pop(0)
        reader = _READERS.get(word)
        if reader is None:
            raise Refused(Refusal.TERM_UNKNOWN, word=word)
        field, value = reader(word, left)
        if field in found:
            raise _clash(typed[field], word)
        found[field], typed[field] = value, word
    terms = AddedTerms(**found)  # type: ignore[arg-type] # each reader gives what its field holds
    _check(terms, unlimited)
    return terms


def _check(terms: AddedTerms, unlimited: bool) -> None:
    """See that the terms go together, and with the length."""
    if terms.jacoby and not unlimited:
        raise Refused(Refusal.TERM_UNLIMITED_ONLY, word=JACOBY)
    if terms.stake and unlimited:
        raise Refused(Refusal.TERM_LENGTH_ONLY, word=STAKE)
    # Without a cube the Jacoby rule would make every game a single one.
    if terms.jacoby and terms.nocube:
        raise _clash(NOCUBE, JACOBY)
    if not terms.variant.cube and (terms.jacoby or terms.nocube):
        raise _clash(terms.variant.name, JACOBY if terms.jacoby else NOCUBE)


def _clash(one: str, other: str) -> Refused:
    if one == other:
        return Refused(Refusal.TERM_TWICE, word=one)
    return Refused(Refusal.TERM_CLASH, word=one, other=other)


def _number(key: str, words: list[str], low: int, high: int) -> int:
    """The number that a term needs, taken from the front of the words behind it."""
    word = words.pop(0) if words else ""
    # Nine digits are more than any term takes, and a longer number is none that anybody means.
    if not (word.isascii() and word.isdigit() and len(word) < 10 and low <= int(word) <= high):
        raise Refused(Refusal.TERM_NUMBER, word=key, low=low, high=high)
    return int(word)


def _clock(word: str, words: list[str]) -> tuple[str, object]:
    bank_s = _number(CLOCK, words, 10, 3600)
    return "clock", ClockTerms(bank_s=bank_s, bonus_s=_number(CLOCK, words, 0, 600))


def _stake(word: str, words: list[str]) -> tuple[str, object]:
    return "stake", _number(STAKE, words, 1, LARGEST_STAKE)


def _flag(word: str, words: list[str]) -> tuple[str, object]:
    return word, True


def _named_clock(word: str, words: list[str]) -> tuple[str, object]:
    return "clock", _CLOCKS[word]


def _variant(word: str, words: list[str]) -> tuple[str, object]:
    return "variant", _VARIANTS[word]


_READERS: Mapping[str, Callable[[str, list[str]], tuple[str, object]]] = {
    **dict.fromkeys(_CLOCKS, _named_clock),
    CLOCK: _clock,
    GHOST: _flag,
    NOCUBE: _flag,
    JACOBY: _flag,
    **dict.fromkeys(_VARIANTS, _variant),
    STAKE: _stake,
}
"""What each word means: the field that it sets, and its value."""
