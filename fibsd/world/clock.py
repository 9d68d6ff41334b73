"""Clocks: how much time each player has left in a game. Arithmetic only; the time is always an argument.

Each player has a bank for the game. It runs while the game waits for him, and the time that he uses is added up
over all waits of one turn. A turn that took no longer than the bonus adds the bonus at its end.

Inside, time is counted in whole milliseconds, so that a text gives back exactly the clock that it was made from,
and a bank is empty exactly at the moment that was foretold.
"""

import re

import attrs

from fibsd.backgammon.side import BySide, Side
from fibsd.values import frozen

WARNING_S = 10
"""With so many seconds left a player is warned, once in a game."""


@frozen(kw_only=True)
class ClockTerms:
    """What was agreed about time, in seconds.

    Attributes:
        bank_s: What each player has at the start of each game, 10 to 3600.
        bonus_s: What a turn adds that used at most so many, 0 to 600.
        cap_s: What a bank never grows above, at least the bank.
    """

    bank_s: int = attrs.field(validator=[attrs.validators.ge(10), attrs.validators.le(3600)])
    bonus_s: int = attrs.field(validator=[attrs.validators.ge(0), attrs.validators.le(600)])
    cap_s: int = attrs.field(validator=attrs.validators.le(3600))

    @cap_s.default
    def _cap_is_bank(self) -> int:
        return self.bank_s

    @cap_s.validator
    def _holds_the_bank(self, _: object, cap_s: int) -> None:
        if cap_s < self.bank_s:
            raise ValueError("the cap is below the bank")


BLITZ = ClockTerms(bank_s=30, bonus_s=10)
STANDARD = ClockTerms(bank_s=120, bonus_s=20)


@frozen(kw_only=True)
class Bank:
    """One player's time.

    Attributes:
        left_ms: What he has left.
        used_ms: What he has used in his present turn.
        warned: Whether he was told in this game that his time runs out.
    """

    left_ms: int
    used_ms: int = 0
    warned: bool = False

    def after(self, spent_ms: int) -> "Bank":
        """The bank after a wait; it is never below 0."""
        return attrs.evolve(self, left_ms=max(self.left_ms - spent_ms, 0), used_ms=self.used_ms + spent_ms)

    def turn_ended(self, terms: ClockTerms) -> "Bank":
        """The bank after the turn, with the bonus if it was quick. An empty bank stays empty."""
        bonus_ms = 1000 * terms.bonus_s if self.left_ms > 0 and self.used_ms <= 1000 * terms.bonus_s else 0
        return attrs.evolve(self, left_ms=min(self.left_ms + bonus_ms, 1000 * terms.cap_s), used_ms=0)


@frozen(kw_only=True)
class Clock:
    """Both players' time in one game. `now` is in seconds, of any clock that is not set back.

    Attributes:
        terms: What was agreed.
        banks: Each side's time, without the present wait.
        running: The side that the game waits for; None while the clock stands.
        since: When the present wait began; 0 while the clock stands.
    """

    terms: ClockTerms
    banks: BySide[Bank]
    running: Side | None = None
    since: float = 0.0

    @classmethod
    def new(cls, terms: ClockTerms) -> "Clock":
        """The clock at the start of a game, standing."""
        return cls(terms=terms, banks=BySide.both(Bank(left_ms=1000 * terms.bank_s)))

    def left(self, side: Side, now: float) -> float:
        """The seconds that the side has left, 0 or more."""
        return self._at(now).of(side).left_ms / 1000

    def start(self, side: Side, now: float) -> "Clock":
        """The game waits for this side from now on; the other side's wait ends, but not its turn.

        If the side's clock runs already, nothing changes.
        """
        if self.running is side:
            return self
        return attrs.evolve(self, banks=self._at(now), running=side, since=now)

    def stop(self, now: float, turn_ended: bool) -> "Clock":
        """The game waits for nobody.

        Args:
            now: The time.
            turn_ended: Whether the turn of the side that ran is over, see `end_turn`. The answer to a double or a
                resignation is not a turn.
        """
        if turn_ended and self.running is not None:
            return self.end_turn(self.running, now)
        return attrs.evolve(self, banks=self._at(now), running=None, since=0.0)

    def end_turn(self, side: Side, now: float) -> "Clock":
        """The turn of a side is over, its clock may run or not: it gets the bonus if it was quick, and stands.

        What it uses later counts for its next turn. The other side's clock goes on.
        """
        banks = self._at(now)
        ended = banks.put(side, banks.of(side).turn_ended(self.terms))
        if self.running is side.other:
            return attrs.evolve(self, banks=ended, since=now)
        return attrs.evolve(self, banks=ended, running=None, since=0.0)

    def expired(self, now: float) -> Side | None:
        """The side that runs and has no time left."""
        if self.running is None or self._at(now).of(self.running).left_ms > 0:
            return None
        return self.running

    @property
    def expires_at(self) -> float | None:
        """When the bank of the side that runs will be empty; None while the clock stands."""
        return None if self.running is None else self.since + self.banks.of(self.running).left_ms / 1000

    @property
    def warns_at(self) -> float | None:
        """When the side that runs is to be warned; None if it was, or while the clock stands."""
        if self.running is None or self.banks.of(self.running).warned:
            return None
        return self.since + max(self.banks.of(self.running).left_ms / 1000 - WARNING_S, 0)

    def warned(self, side: Side) -> "Clock":
        """The clock after the side was warned."""
        return attrs.evolve(self, banks=self.banks.put(side, attrs.evolve(self.banks.of(side), warned=True)))

    def next_game(self) -> "Clock":
        """The clock at the start of another game on the same terms."""
        return Clock.new(self.terms)

    def to_text(self, now: float) -> str:
        """Both banks as they are now, O's first: `14500/3000 30000/0/w`.

        Milliseconds left, milliseconds used in the turn, and `w` for one who was warned. Who runs is left out:
        time in which the server does not run is nobody's.
        """
        banks = self._at(now)
        return f"{_bank_text(banks.o)} {_bank_text(banks.x)}"

    @classmethod
    def from_text(cls, text: str, terms: ClockTerms) -> "Clock":
        """The clock of a text, standing.

        Raises:
            ValueError: The text is not of the form that `to_text` writes, or a bank is above the cap.
        """
        found = _TEXT.fullmatch(text)
        if found is None:
            raise ValueError(f"not the text of a clock: {text!r}")
        banks = BySide(o=_bank(*found.groups()[:3]), x=_bank(*found.groups()[3:]))
        if max(banks.o.left_ms, banks.x.left_ms) > 1000 * terms.cap_s:
            raise ValueError(f"more time than the terms allow: {text!r}")
        return cls(terms=terms, banks=banks)

    def _at(self, now: float) -> BySide[Bank]:
        """The banks with the present wait taken off."""
        if self.running is None:
            return self.banks
        spent_ms = max(round(1000 * (now - self.since)), 0)
        return self.banks.put(self.running, self.banks.of(self.running).after(spent_ms))


_NUMBER = "(0|[1-9][0-9]{0,9})"
_BANK = f"{_NUMBER}/{_NUMBER}(/w)?"
_TEXT = re.compile(f"{_BANK} {_BANK}")


def _bank_text(bank: Bank) -> str:
    return f"{bank.left_ms}/{bank.used_ms}{'/w' if bank.warned else ''}"


def _bank(left_ms: str, used_ms: str, warned: str | None) -> Bank:
    return Bank(left_ms=int(left_ms), used_ms=int(used_ms), warned=warned is not None)
