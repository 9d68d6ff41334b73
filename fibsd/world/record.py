"""The journal of a match: one short text for each thing that happened, and the record of a game made from it.

The journal is the only copy of a match's position that is stored. Replaying it gives the match back exactly.
"""

from fibsd.backgammon.actions import Action
from fibsd.backgammon.notation import decode, encode
from fibsd.backgammon.side import BySide, Side
from fibsd.values import frozen
from fibsd.world.account import GAME_TOGGLES, TOGGLES_BY_NAME, Toggle
from fibsd.world.snapshot import Snapshot

_GHOST = "ghost"


class OwnEntry:
    """An entry that is no action of the game."""

    __slots__ = ()


@frozen
class NextGame(OwnEntry):
    """Both players went on to the next game, with swapped colours."""


@frozen
class SeatToggle(OwnEntry):
    """A player turned one of the switches that belong to a single game."""

    side: Side
    toggle: Toggle
    on: bool


@frozen
class SeatPlayout(OwnEntry):
    """The server plays a player's turns of this game once no contact is left, or does not."""

    side: Side
    on: bool


@frozen
class GhostSeat(OwnEntry):
    """The server plays for this side from here on, or its player does so again himself."""

    side: Side
    on: bool


@frozen
class TimeLeft(OwnEntry):
    """What both players have left on their clocks, as `Clock.to_text` writes it."""

    text: str


@frozen
class GameAnnulled(OwnEntry):
    """The game just finished does not count: its points are taken back."""


Entry = Action | NextGame | SeatToggle | SeatPlayout | TimeLeft | GhostSeat | GameAnnulled

_PLAYOUT = "playout"


@frozen(kw_only=True)
class GameRecord:
    """One game as it was played.

    Attributes:
        names: Who had which colour.
        length: Of the match, None if unlimited.
        terms: Words of the terms that FIBS does not have.
        score: Before the game.
        actions: In order, the opening roll first.
        winner: None while the game is running.
        points: What the winner won, 0 while it is running.
        snapshot: The position at the end, or now.
    """

    names: BySide[str]
    length: int | None
    terms: str = ""
    score: BySide[int]
    actions: tuple[Action, ...]
    winner: Side | None = None
    points: int = 0
    snapshot: Snapshot


def to_text(entry: Entry) -> str:
    """The stored text of an entry: an action as the rules core writes it, or one of ours.

    Ours are `n`, `a`, `O + greedy`, `X - playout`, `O + ghost` and `c 14500/3000 30000/0`.
    """
    if not isinstance(entry, OwnEntry):
        return encode(entry)
    match entry:
        case NextGame():
            return "n"
        case GameAnnulled():
            return "a"
        case GhostSeat():
            return f"{entry.side.name} {'+' if entry.on else '-'} {_GHOST}"
        case SeatToggle():
            return f"{entry.side.name} {'+' if entry.on else '-'} {entry.toggle.value}"
        case SeatPlayout():
            return f"{entry.side.name} {'+' if entry.on else '-'} {_PLAYOUT}"
        case TimeLeft():
            return f"c {entry.text}"


def from_text(text: str) -> Entry:
    """The entry of a stored text.

    Raises:
        ValueError: It is none.
    """
    if text == "n":
        return NextGame()
    if text.startswith("c "):
        return TimeLeft(text[2:])
    if text == "a":
        return GameAnnulled()
    words = text.split(" ")
    if len(words) == 3 and words[1] in "+-":
        if words[0] in Side.__members__ and words[2] == _GHOST:
            return GhostSeat(Side[words[0]], words[1] == "+")
        toggle = TOGGLES_BY_NAME.get(words[2])
        if words[0] in Side.__members__ and words[2] == _PLAYOUT:
            return SeatPlayout(Side[words[0]], words[1] == "+")
        if words[0] not in Side.__members__ or toggle not in GAME_TOGGLES:
            raise ValueError(f"no journal entry: {text!r}")
        return SeatToggle(Side[words[0]], toggle, words[1] == "+")
    return decode(text)
