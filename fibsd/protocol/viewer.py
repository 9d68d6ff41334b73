"""For whom a text is made: all of a viewer that the text depends on, and nothing else."""

import attrs

from fibsd.backgammon.side import Side
from fibsd.protocol.boards import drawn_board, raw_board
from fibsd.values import frozen
from fibsd.world.account import Toggle
from fibsd.world.lobby import SessionKind
from fibsd.world.snapshot import Snapshot


@frozen(kw_only=True, cache_hash=True)
class View:
    """A kind of reader. Readers with equal views share the bytes of a text.

    Attributes:
        kind: Which form of FIBS the session speaks.
        boardstyle: 1, 2 or 3.
        toggles: The switches that are on, those of the present game included.
        utf8: Whether letters outside ASCII are sent as UTF-8.
        width: Columns after which the server wraps lines; 0 for never.
        alerts: Whether a CLIP client knows message 20.
        playing: Whether the reader has a seat at the table that an event tells of.
        side: The colour of that seat, or of the player he watches; None for all others.
        extras: Whether the session gets what FIBS does not have; if nothing else is said, telnet sessions do.
    """

    kind: SessionKind
    boardstyle: int = 3
    toggles: frozenset[Toggle] = frozenset()
    utf8: bool = False
    width: int = 0
    alerts: bool = False
    playing: bool = False
    side: Side | None = None
    extras: bool = attrs.field()

    @extras.default
    def _people_have_extras(self) -> bool:
        return self.kind is SessionKind.TELNET

    @property
    def clip(self) -> bool:
        """Whether the session gets numbered messages."""
        return self.kind is SessionKind.CLIP

    def on(self, toggle: Toggle) -> bool:
        """Whether a switch is on."""
        return toggle in self.toggles

    def plays(self, side: Side) -> bool:
        """Whether the reader plays this side."""
        return self.playing and self.side is side

    def bell(self) -> str:
        """A BEL before chat and invitations, for those text users who want one (it would break CLIP lines)."""
        return "\a" if not self.clip and Toggle.BELL in self.toggles else ""

    def board(self, snapshot: Snapshot, side: Side, *, own: bool) -> list[str]:
        """A board in the reader's style, seen from a side."""
        if self.boardstyle == 3:
            return [raw_board(snapshot, side, own)]
        return drawn_board(snapshot, side, 1 if self.boardstyle == 1 else 2, own)

    def own_board(self, snapshot: Snapshot) -> list[str]:
        """A board from the reader's seat, or from the seat of the player he watches."""
        if self.side is None:
            return []
        if self.boardstyle == 3:
            # Not by way of `board`: a turn shows four of these.
            return [raw_board(snapshot, self.side, self.playing)]
        return self.board(snapshot, self.side, own=self.playing)
