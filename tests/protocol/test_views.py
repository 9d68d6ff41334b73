"""Tables of sentences have no gaps."""

import enum
from typing import get_args

import attrs
import pytest

from fibsd.backgammon.errors import Fault, Reason
from fibsd.backgammon.side import BySide, Side
from fibsd.protocol.viewer import View
from fibsd.protocol.views import RENDERERS, lines_of, render, render_all
from fibsd.protocol.views.refusals import REFUSALS
from fibsd.world import events as e
from fibsd.world import play
from fibsd.world.account import Toggle
from fibsd.world.errors import Refusal
from fibsd.world.lobby import SessionKind
from fibsd.world.terms import AddedTerms
from tests.support import catalogue

FIELDS = {
    **{"low": 1, "high": 9, "other": "blitz"},
    "word": "xyzzy", "name": "alice", "names": ("alan", "alice"), "opponent": "bob", "n": 100, "nth": 1, "number": 6,
    "side": Side.X, "text": "  UTC", "topic": "xyzzy", "a": 20, "b": 10, "player1": "alice", "player2": "bob",
    "watched": "bob", "k": 3, "points": 40,
}  # fmt: skip
NAMES = BySide(o="alice", x="bob")
CLIP, TELNET = View(kind=SessionKind.CLIP), View(kind=SessionKind.TELNET)


def test_every_event_has_a_view():
    assert set(RENDERERS) == set(get_args(e.Event))


def test_every_refusal_has_a_sentence():
    assert set(REFUSALS) == set(Refusal)
    assert all(REFUSALS.values())


@pytest.mark.parametrize("refusal", Refusal, ids=lambda refusal: refusal.name)
def test_sentences_of_refusals_are_in_the_catalogue_or_ours(refusal: Refusal) -> None:
    lines = lines_of(e.Declined(refusal, FIELDS), CLIP)
    assert lines
    for line in lines:
        known = any(catalogue.fitting(line, "clip")) or catalogue.is_ours(line)
        assert known or refusal in (Refusal.SET_TIMEZONE_BAD, Refusal.ADMIN)


@pytest.mark.parametrize("toggle", Toggle, ids=lambda toggle: toggle.name)
def test_every_switch_has_both_sentences(toggle: Toggle) -> None:
    lines = [line for on in (True, False) for line in lines_of(e.ToggleFlipped(toggle, on), CLIP)]
    rows = [row.id for line in lines for row in catalogue.fitting(line, "clip")]
    assert rows == [f"toggle_{toggle.value}_yes", f"toggle_{toggle.value}_no"]


def all_of(kind: type[enum.Enum], make, view: View) -> dict[enum.Enum, list[str]]:
    return {one: lines_of(make(one), view) for one in kind}


@pytest.mark.parametrize("kind", ["clip", "connect"])
def test_every_way_to_come_and_go_has_its_lines(kind: str) -> None:
    view = View(kind=SessionKind(kind), toggles=frozenset({Toggle.NOTIFY}))
    made = [
        all_of(e.Arrival, lambda how: e.Arrived("alice", how), view),
        all_of(e.Farewell, lambda how: e.Departed("alice", how, "olga"), view),
        all_of(e.Farewell, lambda how: e.OpponentGone("alice", how, "olga"), view),
        all_of(e.Farewell, lambda how: e.WatchedGone("alice", how, "olga"), view),
    ]
    for lines in made:
        texts = [line for (line,) in lines.values()]
        assert all(any(catalogue.fitting(line, kind)) for line in texts)
        assert len(set(texts)) == len(texts)


def test_nobody_without_notify_reads_who_comes_and_goes():
    assert lines_of(e.Arrived("alice", e.Arrival.LOGIN), CLIP) == []
    assert lines_of(e.Departed("alice", e.Farewell.LOGOUT), CLIP) == []
    assert lines_of(e.RoomLine("alice waves goodbye."), CLIP) == []


def test_notices_are_tells_of_the_server_where_a_program_reads():
    for kind in e.NoticeKind:
        (clip,) = lines_of(e.Notice(kind, "bob"), CLIP)
        (text,) = lines_of(e.Notice(kind, "bob"), TELNET)
        assert clip.startswith("12 fibsd ")
        (connect,) = lines_of(e.Notice(kind, "bob"), View(kind=SessionKind.CONNECT))
        assert text == f"** {clip.removeprefix('12 fibsd ')}"
        assert connect == f"fibsd says: {clip.removeprefix('12 fibsd ')}"


def test_extras_decide_about_the_form_of_a_notice():
    notice = e.Notice(e.NoticeKind.DECLINED, "bob")
    wanted, unwanted = View(kind=SessionKind.CLIP, extras=True), View(kind=SessionKind.TELNET, extras=False)
    assert lines_of(notice, wanted) == lines_of(notice, TELNET)
    assert lines_of(notice, unwanted) == lines_of(notice, View(kind=SessionKind.CONNECT))


@pytest.mark.parametrize("kind", SessionKind)
def test_playing_on_is_told_to_whoever_wants_extras_and_whoever_typed_it(kind):
    for extras in (True, False):
        seat = View(kind=kind, extras=extras, playing=True, side=Side.O)
        opponent, watcher = attrs.evolve(seat, side=Side.X), attrs.evolve(seat, playing=False)
        by_setting, typed = e.PlaysOn(NAMES, Side.O, False), e.PlaysOn(NAMES, Side.O, True)
        assert len(lines_of(typed, seat)) == 1
        for view, event in ((seat, by_setting), (opponent, typed), (watcher, typed), (watcher, by_setting)):
            assert len(lines_of(event, view)) == int(extras)


@pytest.mark.parametrize(
    ("length", "own", "other"),
    [
        (5, "score in 5 point match: bob-1 alice-3", "score in 5 point match: alice-3 bob-1"),
        (None, "score in unlimited match: bob-1 alice-3", "score in unlimited match: alice-3 bob-1"),
    ],
)
def test_own_name_or_the_watched_one_comes_first_in_a_score(length, own, other):
    event = e.ScoreShown(NAMES, length, BySide(o=3, x=1))
    assert lines_of(event, View(kind=SessionKind.CLIP, playing=True, side=Side.X))[0] == own
    assert lines_of(event, View(kind=SessionKind.CLIP, side=Side.O)) == [other]


def test_lines_end_in_cr_lf_and_nothing_is_nothing():
    assert render(e.Text(("one", "two")), CLIP) == b"one\r\ntwo\r\n"
    assert render(e.Text(("caf\u00e9",)), CLIP) == b"caf?\r\n"
    assert render(e.Text(("caf\u00e9",)), View(kind=SessionKind.CLIP, utf8=True)) == b"caf\xc3\xa9\r\n"
    assert render(e.RoomLine("nothing"), CLIP) == b""


def test_every_fault_of_a_play_has_a_refusal():
    assert set(play.FAULTS) == set(Fault)


def test_refusals_of_the_rules_are_sentences():
    tables = [
        *(play.ROLL_REFUSALS, play.MOVE_REFUSALS, play.OFF_REFUSALS, play.DOUBLE_REFUSALS),
        *(play.ANSWER_REFUSALS, play.REDOUBLE_REFUSALS, play.RESIGN_REFUSALS),
    ]
    for table in tables:
        assert set(table) <= set(Reason)
        assert set(table.values()) <= set(REFUSALS)


def test_added_terms_are_told_in_the_form_that_the_reader_wants():
    event = e.TermsInForce(AddedTerms(ghost=True))
    assert lines_of(event, View(kind=SessionKind.CLIP, extras=True)) == ["** Terms: ghost."]
    text = "This match has added terms: ghost. Type 'help terms' for what they mean."
    assert lines_of(event, CLIP) == [f"12 fibsd {text}"]
    assert lines_of(event, View(kind=SessionKind.CONNECT)) == [f"fibsd says: {text}"]
    stake = e.TermsOffered(added=AddedTerms(stake=7), win=None, lose=None)
    assert lines_of(stake, View(kind=SessionKind.TELNET, extras=True)) == [
        "** Stake: 7 play points from each of you, for the winner.",
        "** Unrated: nobody's rating changes.",
    ]
    assert lines_of(stake, CLIP) == []


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (e.StakePaid("bob", 75, you=False), "bob wins the stakes: 75 play points."),
        (e.StakePaid("bob", 75, you=True), "You win the stakes: 75 play points."),
        (e.StakeReturned(40), "You have your stake back: 40 play points."),
        (
            e.SettlementNear("bob", 1_594_994_667.0),
            "Your saved match with bob will be settled on July 17, unless you go on with it.",
        ),
        (e.MatchSettled("It is over."), "It is over."),
    ],
)
def test_what_becomes_of_points_and_saved_matches_is_told_to_everybody(event, text):
    assert lines_of(event, View(kind=SessionKind.CLIP, extras=True)) == [f"** {text}"]
    assert lines_of(event, CLIP) == [f"12 fibsd {text}"]
    assert lines_of(event, View(kind=SessionKind.CONNECT)) == [f"fibsd says: {text}"]


def test_game_that_the_server_ends_is_told_with_its_reason():
    event = e.Awarded(NAMES, Side.O, 2, e.AwardReason.TIME)
    text = "alice's time is up: bob wins 2 points."
    assert lines_of(event, View(kind=SessionKind.TELNET, extras=True)) == [f"** {text}"]
    assert lines_of(event, CLIP) == [f"12 fibsd {text}"]
    abandoned = e.Awarded(NAMES, Side.X, 1, e.AwardReason.ABANDONED)
    assert lines_of(abandoned, View(kind=SessionKind.CONNECT)) == [
        "fibsd says: bob did not come back to the match: alice wins 1 point."
    ]


@pytest.mark.parametrize(("view", "before"), [(CLIP, "12 fibsd "), (View(kind=SessionKind.CONNECT), "fibsd says: ")])
def test_time_that_runs_out_is_told_in_the_form_of_the_session(view, before):
    """After a resume a player may have less than ten seconds when he is told."""
    assert lines_of(e.TimeShort(1), view) == [f"{before}You have 1 second left."]
    assert lines_of(e.TimeShort(10), View(kind=view.kind, extras=True)) == ["** You have 10 seconds left."]


def test_banks_are_shown_in_minutes_and_seconds():
    shown = e.TimeLeftShown(NAMES, BySide(o=3600, x=65), None)
    assert lines_of(shown, CLIP) == ["** Time left: alice 60:00, bob 1:05."]


def test_watchers_are_told_of_the_ghost_only_if_they_want_it():
    event = e.GhostWon(NAMES, Side.O)
    text = "Ghost: it won for alice, so this game does not count."
    assert lines_of(event, View(kind=SessionKind.CLIP, extras=True)) == [f"** {text}"]
    assert lines_of(event, CLIP) == []
    assert lines_of(event, View(kind=SessionKind.CLIP, playing=True, side=Side.X)) == [f"12 fibsd {text}"]


@pytest.mark.parametrize("width", [0, 20])
def test_events_told_together_are_those_told_one_by_one(width: int) -> None:
    """Also where a question, whose line stays open, stands between them, and where one of them says nothing."""
    view = View(kind=SessionKind.TELNET, width=width)
    question = e.Asked("Are you really quite sure about that? ", hidden=False)
    words, silence = e.Text(("It is a very long line.", "")), e.Departed("alice", e.Farewell.LOGOUT)
    for events in ([words, silence, words], [words, question], [question, words], [silence], [question, silence]):
        assert render_all(events, view) == b"".join(render(event, view) for event in events)
    assert render_all([words, words], view).endswith(b"\r\n\r\n")
    assert not render(question, view).endswith(b"\r\n")
