"""The server plays on for a player once no contact is left."""

import attrs
import pytest

from fibsd.backgammon.actions import Double, MakePlay
from fibsd.backgammon.board import Board
from fibsd.backgammon.game import Phase
from fibsd.backgammon.match import new_match
from fibsd.backgammon.play import Move
from fibsd.backgammon.side import BySide, Side
from fibsd.backgammon.variants import VARIANTS, Variant
from fibsd.world import play
from fibsd.world.account import Toggle
from fibsd.world.arrivals import Newcomer, depart
from fibsd.world.arrivals import enter as log_in
from fibsd.world.audience import Result
from fibsd.world.changes import EntryAdded, MatchRow
from fibsd.world.errors import Refusal, Refused
from fibsd.world.events import AskedToMove, AskedToRoll, Farewell, Moved, PlaysOn
from fibsd.world.helps import play_on_now, turn_playout
from fibsd.world.invitations import invite_to_resume
from fibsd.world.lobby import Connection, SessionKind
from fibsd.world.matches import join, join_next, leave
from fibsd.world.record import SeatPlayout, from_text, to_text
from fibsd.world.table import Table
from fibsd.world.world import World
from tests.support.worlds import READY, begin, enter, result, user, world_of

PASSED = (0, 0, 2, 2, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -2, 0, 0, -3, -2, 0, 0, 0)
CONTACT = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -2, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)


def put(table: Table, turn: Side = Side.O, points: tuple[int, ...] = PASSED, variant: Variant | None = None) -> None:
    """Set the position; `turn` is to roll."""
    match = table.match if variant is None else new_match(None, crawford=False, variant=variant)
    game = attrs.evolve(match.game, board=Board(points=points), turn=turn, phase=Phase.ROLL, dice=None, playable=0)
    table.match = attrs.evolve(match, game=game)


def at_table(length: int | None = None) -> tuple[World, Table]:
    """alice, who has O, plays bob."""
    world = world_of("alice", "bob", settings=READY)
    return world, begin(world, "alice", "bob", length)


def setting(world: World, name: str, on: bool = True) -> Result:
    """A user sets `playout`."""
    out = result()
    world.change_settings(user(world, name), attrs.evolve(user(world, name).settings, playout=on), out)
    play_on_now(world, user(world, name), out)
    return out


def typed(world: World, table: Table, name: str) -> Result:
    """A user types `playout`."""
    out = result()
    if turn_playout(world, table, user(world, name), out):
        play_on_now(world, user(world, name), out)
    return out


def events(out: Result, kind: type) -> list:
    return [event for envelope in out.envelopes for event in envelope.events if isinstance(event, kind)]


def moves(out: Result) -> list[Side]:
    return [event.side for event in events(out, Moved)]


def roll_and_move(world: World, table: Table, side: Side, dice: str) -> Result:
    """A player rolls and makes the first play there is; what the play leads to."""
    world.chance.script(dice)
    play.roll(world, table, side, result())
    game, out = table.match.game, result()
    assert game.dice is not None
    play.move(world, table, side, game.rules.variant.rules.legal_plays(game.board.seen_by(side), game.dice)[0], out)
    return out


def test_turn_that_has_begun_is_played_at_once_and_the_cube_is_left_alone():
    world, table = at_table()
    put(table)
    assert table.match.game.may_double(Side.O)
    world.chance.script("5-4")
    assert moves(typed(world, table, "alice")) == [Side.O]
    assert table.match.game.turn is Side.X
    assert not any(isinstance(action, Double) for action in table.actions)


def test_roll_that_was_made_already_is_played():
    world, table = at_table()
    put(table)
    world.chance.script("5-4")
    play.roll(world, table, Side.O, result())
    assert table.match.game.phase is Phase.MOVE
    assert moves(setting(world, "alice")) == [Side.O]


def test_nothing_is_played_while_the_pieces_can_still_meet():
    world, table = at_table()
    put(table, points=CONTACT)
    setting(world, "alice")
    out = typed(world, table, "bob")
    assert (moves(out), len(events(out, PlaysOn))) == ([], 1)
    assert table.match.game.turn is Side.O
    world.chance.script("2-1")
    out = result()
    play.roll(world, table, Side.O, out)
    assert events(out, AskedToMove)
    assert not events(out, PlaysOn)


def test_it_begins_with_the_move_after_which_nobody_can_meet_any_more():
    world, table = at_table()
    put(table, points=CONTACT)
    setting(world, "bob")
    world.chance.script("6-5 6-6")
    play.roll(world, table, Side.O, result())
    out = result()
    play.move(world, table, Side.O, (Move(15, 9), Move(15, 10)), out)
    assert moves(out) == [Side.O, Side.X]
    assert [event.side for event in events(out, PlaysOn)] == [Side.X]


def test_others_are_told_once_in_a_game():
    world, table = at_table()
    put(table)
    world.chance.script("2-1")
    assert [(event.side, event.typed) for event in events(setting(world, "alice"), PlaysOn)] == [(Side.O, False)]
    out = roll_and_move(world, table, Side.X, "2-1")
    assert moves(out) == [Side.X, Side.O]
    assert not events(out, PlaysOn)


def test_double_waits_for_the_player_himself():
    world, table = at_table()
    setting(world, "alice")
    put(table, turn=Side.X)
    play.double(world, table, Side.X, result())
    assert table.match.game.phase is Phase.DOUBLED
    world.chance.script("2-1 2-1")
    play.accept(world, table, Side.O, result())
    assert (table.match.game.turn, table.match.game.phase) == (Side.X, Phase.MOVE)


def test_asking_for_it_while_a_double_or_a_resignation_waits_plays_nothing():
    world, table = at_table()
    put(table)
    play.double(world, table, Side.O, result())
    assert moves(typed(world, table, "alice")) == []
    world.chance.script("2-1")
    out = result()
    play.accept(world, table, Side.X, out)
    assert moves(out) == [Side.O]

    put(table)
    typed(world, table, "alice")
    play.resign(world, table, Side.X, 1, result())
    assert moves(typed(world, table, "alice")) == []
    world.chance.script("2-1")
    out = result()
    play.reject(world, table, Side.O, out)
    assert moves(out) == [Side.O]
    assert [event.side for event in events(out, AskedToRoll)] == [Side.X]


def test_what_is_typed_goes_before_the_setting_until_the_game_ends():
    world, table = at_table()
    put(table, turn=Side.X)
    setting(world, "alice")
    typed(world, table, "alice")
    assert table.playout == BySide(o=False, x=None)
    out = roll_and_move(world, table, Side.X, "2-1")
    assert moves(out) == [Side.X]
    assert events(out, AskedToRoll)
    play.resign(world, table, Side.O, 1, result())
    play.accept(world, table, Side.X, result())
    with pytest.raises(Refused) as refused:
        turn_playout(world, table, user(world, "alice"), result())
    assert refused.value.refusal is Refusal.GAME_OVER
    world.chance.script("3-1")
    for name in ("alice", "bob"):
        join_next(world, table, user(world, name), result())
    assert table.playout == BySide(o=None, x=None)


def test_it_outlasts_a_saved_match_and_a_restart():
    world, table = at_table()
    put(table, turn=Side.X)
    started = [to_text(action) for action in table.actions]
    out = typed(world, table, "alice")
    entries = [change.entry for change in out.changes if isinstance(change, EntryAdded)]
    assert entries == ["O + playout"]
    leave(world, table, user(world, "bob"), result())
    row = MatchRow(id=table.id, names=table.names, terms=table.terms, started=0.0, entries=(*started, *entries))
    restored = Table.restore(row)
    assert restored.playout == BySide(o=True, x=None)
    restored.match = table.match
    world.saved[table.id] = restored
    put(restored, turn=Side.O)
    invite_to_resume(world, user(world, "bob"), user(world, "alice"), result())
    world.chance.script("2-1")
    out = result()
    join(world, user(world, "alice"), user(world, "bob"), out)
    assert moves(out) == [Side.O]


def test_it_outlasts_a_second_login_and_a_lost_connection():
    world, table = at_table()
    put(table, turn=Side.X)
    typed(world, table, "alice")
    alice = user(world, "alice")
    again = Newcomer(
        connection=Connection(id=alice.connection.id, kind=SessionKind.TELNET, host="h"), account=alice.account
    )
    log_in(world, again, (), (), result())
    assert table.playout.o is True
    depart(world, alice, Farewell.DROP, result())
    enter(world, "alice", settings=READY)
    put(table, turn=Side.O)
    invite_to_resume(world, user(world, "alice"), user(world, "bob"), result())
    world.chance.script("2-1")
    out = result()
    join(world, user(world, "bob"), user(world, "alice"), out)
    assert moves(out) == [Side.O]


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda variant: variant.name)
def test_two_who_play_on_come_to_the_end_of_the_game_in_every_variant(variant):
    world, table = at_table()
    put(table, variant=variant)
    setting(world, "bob")
    out = setting(world, "alice")
    assert table.paused
    assert set(moves(out)) == {Side.O, Side.X}
    assert not events(out, AskedToMove)
    assert not events(out, AskedToRoll)
    result_ = table.match.game.result
    assert result_ is not None
    assert table.match.game.board.checkers(result_.winner) == 0


def test_playing_on_goes_before_the_switches_of_the_game():
    """It bears off at least as much, and says so in its own words."""
    world, table = at_table()
    put(table)
    table.toggles = BySide.both(frozenset({Toggle.GREEDY}))
    world.chance.script("5-4 2-1")
    out = typed(world, table, "alice")
    assert [event.forced.value for event in events(out, Moved)] == ["playout"]
    assert sum(isinstance(action, MakePlay) for action in table.actions) == 1


@pytest.mark.parametrize("entry", [SeatPlayout(Side.O, True), SeatPlayout(Side.X, False)])
def test_mark_of_a_seat_has_a_text_of_its_own(entry):
    assert to_text(entry) == f"{entry.side.name} {'+' if entry.on else '-'} playout"
    assert from_text(to_text(entry)) == entry


@pytest.mark.parametrize("text", ["Q + playout", "O * playout", "O + Playout", "O + playout "])
def test_text_that_is_no_mark_is_refused(text):
    with pytest.raises(ValueError, match=r"not the text|no journal entry"):
        from_text(text)
