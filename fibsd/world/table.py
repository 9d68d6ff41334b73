"""One match: who plays, how it stands, what has been written down of it."""

from collections.abc import Iterator

import attrs

from fibsd.backgammon.actions import Action, MakePlay, OpeningRoll
from fibsd.backgammon.errors import IllegalAction, IllegalPlay
from fibsd.backgammon.match import Match, act, annul, new_match, next_game
from fibsd.backgammon.side import BySide, Side
from fibsd.world.account import DEFAULT_TOGGLES, GAME_TOGGLES, Toggle
from fibsd.world.audience import AtTable, Result
from fibsd.world.changes import EntryAdded, MatchRow, MatchTerms
from fibsd.world.clock import Bank, Clock
from fibsd.world.ids import MatchId, UserName
from fibsd.world.record import (
    Entry,
    GameAnnulled,
    GameRecord,
    GhostSeat,
    NextGame,
    OwnEntry,
    SeatPlayout,
    SeatToggle,
    TimeLeft,
    from_text,
    to_text,
)
from fibsd.world.snapshot import Snapshot

NEW_GAME_TOGGLES = BySide.both(GAME_TOGGLES & DEFAULT_TOGGLES)
NO_POINTS = BySide.both(0)
NOTHING_SAID: BySide[bool | None] = BySide.both(None)


_O, _X = Side.O, Side.X  # see `fibsd.backgammon.side`
_TAKES_NO_TIME = (NextGame, SeatToggle, SeatPlayout, GhostSeat, GameAnnulled)
"""Entries at which no player's turn or answer ends."""


class CorruptMatch(Exception):
    """A stored match cannot be replayed; the text names the match and the entry."""


@attrs.define(kw_only=True)
class Table:
    """A match, running or saved.

    All that is keyed by colour belongs to the game being played: colours change hands with every game.

    Attributes:
        id: Number of the match.
        terms: What was agreed at `join`.
        names: Who has which colour now.
        match: Score and position.
        toggles: The per-game switches that are on for each player.
        playout: Whether the server plays on for each player once no contact is left; None while he has said nothing
            about this game, so that his setting decides.
        actions: What happened in the present game.
        start_score: Score when the present game began.
        previous: The game before the present one, if any.
        seq: Number of the next journal entry.
        joined: In the pause between games: who typed `join`.
        left_by: Who left the match on, when it is saved.
        moved: Who has made a play in this match.
        touched: Unix seconds of the newest entry.
        clock: The players' time, if they agreed on it. It is started only when a player has been told that he is
            awaited, see `fibsd.server.timekeeper`.
        ghost: For which side the server plays this game, or played when it ended.
        ghost_from: How many actions of this game were done when it began to.
    """

    id: MatchId
    terms: MatchTerms
    names: BySide[UserName]
    match: Match
    toggles: BySide[frozenset[Toggle]] = NEW_GAME_TOGGLES
    playout: BySide[bool | None] = NOTHING_SAID
    actions: list[Action] = attrs.Factory(list)
    start_score: BySide[int] = NO_POINTS
    previous: GameRecord | None = None
    seq: int = 0
    joined: frozenset[UserName] = frozenset()
    left_by: UserName | None = None
    moved: frozenset[UserName] = frozenset()
    touched: float = 0.0
    clock: Clock | None = None
    _banks: BySide[Bank] | None = None
    ghost: Side | None = None
    ghost_from: int = 0
    _audience: AtTable | None = None

    @classmethod
    def new(cls, match_id: MatchId, names: BySide[UserName], terms: MatchTerms, now: float) -> "Table":
        """A table before its first opening roll."""
        table = cls(id=match_id, terms=terms, names=names, match=match_of(terms), touched=now)
        if terms.added.clock is not None:
            table._set_clock(Clock.new(terms.added.clock))
        return table

    @classmethod
    def restore(cls, row: MatchRow) -> "Table":
        """The table that the journal tells of.

        Raises:
            CorruptMatch: The journal cannot be replayed.
        """
        *_, table = cls.replayed(row)
        return table

    @classmethod
    def replayed(cls, row: MatchRow) -> Iterator["Table"]:
        """The same by steps, since a long match takes a while: the same table before the first entry and after each.

        Raises:
            CorruptMatch: The journal cannot be replayed.
        """
        table = cls.new(row.id, row.names, row.terms, row.touched)
        table.left_by = row.left_by
        yield table
        for number, text in enumerate(row.entries):
            try:
                table._follow(from_text(text))
            except (ValueError, IllegalAction, IllegalPlay) as error:
                raise CorruptMatch(f"match {row.id}, entry {number} ({text!r}): {error!r}") from error
            table.seq += 1
            yield table

    def side_of(self, name: UserName) -> Side:
        """The colour of a player of this match."""
        return _O if self.names.o == name else _X

    def opponent_of(self, name: UserName) -> UserName:
        """The other player."""
        return self.names.of(self.side_of(name).other)

    @property
    def audience(self) -> AtTable:
        """The address of the players and their watchers, the same object as long as they have these colours."""
        if self._audience is None or self._audience.players is not self.names:
            self._audience = AtTable(self.id, self.names)
        return self._audience

    @property
    def snapshot(self) -> Snapshot:
        """All that a board shows."""
        return Snapshot(self.names, self.match)

    @property
    def paused(self) -> bool:
        """Whether a game is over and the next one has not begun."""
        return self.match.game.result is not None

    @property
    def awaited(self) -> Side | None:
        """Whose word the game waits for: to roll, to move, to answer; None between games."""
        game = self.match.game
        if game.result is not None:
            return None
        if game.resignation is not None:
            return game.resignation.side.other
        return game.turn if game.offer is None else game.offer.to_answer

    @property
    def record(self) -> GameRecord:
        """The present game so far."""
        result = self.match.game.result
        return GameRecord(
            names=self.names,
            length=self.terms.length,
            terms=self.terms.added.words,
            score=self.start_score,
            actions=tuple(self.actions),
            winner=result.winner if result else None,
            points=result.points if result else 0,
            snapshot=self.snapshot,
        )

    def enter(self, entry: Entry, now: float, out: Result) -> None:
        """Do what an entry says and have it written down.

        Raises:
            IllegalAction, IllegalPlay: The rules forbid it; nothing has changed.
        """
        clock = self.clock
        turn = None if clock is None else self.match.game.turn
        self._follow(entry)
        self._write(entry, now, out)
        if clock is not None and not isinstance(entry, _TAKES_NO_TIME):
            self._count_time(clock, entry, turn, out)

    def stop_clock(self, out: Result) -> None:
        """The game waits for nobody: what each has left is written down."""
        if self.clock is not None:
            self._keep(self.clock.stop(out.ticks, turn_ended=False), out)

    def rouse(self, out: Result) -> None:
        """The clock is to run for whoever is awaited, once he has been told so."""
        if self.clock is not None:
            out.clocked = self.id

    def rename(self, old: UserName, new: UserName) -> None:
        """Another name for a player."""

        def renamed(name: UserName) -> UserName:
            return new if name == old else name

        self.names = self.names.map(renamed)
        self.moved = frozenset(map(renamed, self.moved))
        self.left_by = None if self.left_by is None else renamed(self.left_by)

    def _write(self, entry: Entry, now: float, out: Result) -> None:
        out.store(EntryAdded(self.id, self.seq, to_text(entry), now))
        self.seq += 1
        self.touched = now

    def _count_time(self, clock: Clock, entry: Entry, turn: Side | None, out: Result) -> None:
        """Take the time off the one who was awaited; `turn` is who was on turn before the entry.

        Nobody's clock runs until the server has told of the entry. Only who was awaited before and still is, because
        it was the other one who acted, has no rest.
        """
        self.rouse(out)
        by = None if isinstance(entry, OpeningRoll) else getattr(entry, "side", None)
        if turn is not None and self.match.game.turn is turn.other:
            self._keep(clock.end_turn(turn, out.ticks), out)
        elif clock.running is not self.awaited or clock.running is by:
            self._keep(clock.stop(out.ticks, turn_ended=False), out)

    def _keep(self, clock: Clock, out: Result) -> None:
        """A standing clock; what is left is written down if it has changed."""
        self.clock = clock
        self.rouse(out)
        if clock.banks != self._banks:
            self._banks = clock.banks
            self._write(TimeLeft(clock.to_text(out.ticks)), out.now, out)

    def _set_clock(self, clock: Clock) -> None:
        self.clock, self._banks = clock, clock.banks

    def _follow(self, entry: Entry) -> None:
        if not isinstance(entry, OwnEntry):
            self.match = act(self.match, entry)
            self.actions.append(entry)
            if isinstance(entry, MakePlay):
                name = self.names.of(entry.side)
                if name not in self.moved:
                    self.moved |= {name}
            return
        match entry:
            case NextGame():
                self.previous = self.record
                self.match = next_game(self.match)
                self.names = self.names.swap()
                self.toggles = NEW_GAME_TOGGLES
                self.playout = NOTHING_SAID
                self.start_score = self.match.score
                self.actions = []
                self.joined = frozenset()
                if self.clock is not None:
                    self._set_clock(self.clock.next_game())
                self.ghost, self.ghost_from = None, 0
            case TimeLeft():
                terms = self.terms.added.clock
                if terms is None:
                    raise ValueError("time in a match without a clock")
                self._set_clock(Clock.from_text(entry.text, terms))
            case GameAnnulled():
                self.match = annul(self.match)
            case GhostSeat():
                if self.paused or self.ghost is not (None if entry.on else entry.side):
                    raise ValueError("nobody can take or leave that seat now")
                self.ghost, self.ghost_from = (entry.side, len(self.actions)) if entry.on else (None, 0)
            case SeatToggle():
                toggles = self.toggles.of(entry.side)
                changed = toggles | {entry.toggle} if entry.on else toggles - {entry.toggle}
                self.toggles = self.toggles.put(entry.side, changed)
            case SeatPlayout():
                self.playout = self.playout.put(entry.side, entry.on)


def match_of(terms: MatchTerms) -> Match:
    """The match at its beginning."""
    added = terms.added
    return new_match(
        terms.length,
        terms.crawford,
        redoubles=terms.redoubles,
        autodoubles=terms.autodoubles,
        jacoby=added.jacoby,
        cube=not added.nocube,
        variant=added.variant,
    )
