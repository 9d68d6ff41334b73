"""Open invitations and rematches: who may make and take them, and when they end."""

import attrs
import pytest

from fibsd.backgammon.side import Side
from fibsd.backgammon.variants import VARIANTS
from fibsd.commands.call import Call
from fibsd.commands.invite import join
from fibsd.commands.seek import seek as seek_command
from fibsd.commands.settings import toggle
from fibsd.world import seeking
from fibsd.world.arrivals import Newcomer, depart, enter
from fibsd.world.audience import Result
from fibsd.world.errors import Refusal, Refused
from fibsd.world.events import AwardReason, Farewell, MatchJoined
from fibsd.world.ids import SessionId, UserName
from fibsd.world.invitations import invite
from fibsd.world.lobby import Connection, Habit, Presence, Seek, SessionKind
from fibsd.world.matches import leave
from fibsd.world.results import award
from fibsd.world.terms import NO_TERMS, AddedTerms
from fibsd.world.world import World
from tests.support.client import START
from tests.support.worlds import READY, begin, result, user, world_of

TERMS = AddedTerms(nocube=True)
LIKES = attrs.evolve(READY, extras=True)


def room(*, rating: float = 1500.0) -> tuple[World, Presence, Presence]:
    """A world in which ann seeks nothing yet; bob has the given rating."""
    world = world_of("ann", "bob", "eve", settings=LIKES)
    bob = user(world, "bob")
    bob.account = attrs.evolve(bob.account, rating=rating)
    return world, user(world, "ann"), bob


def wanted(
    length: int | None = 1, added: AddedTerms = NO_TERMS, most: float | None = None, least: float | None = None
) -> Seek:
    return Seek(length=length, added=added, most=most, least=least, since=START)


def refusal(of: object, *arguments: object) -> Refusal:
    with pytest.raises(Refused) as raised:
        of(*arguments)  # type: ignore[operator]
    return raised.value.refusal


def call(name: str, words: str) -> Call:
    return Call(session=SessionId(1), user=UserName(name), word="", args=words, now=START)


def ban(world: World, who: str, **names: frozenset[UserName]) -> None:
    """Let a user gag or blind others."""
    one = user(world, who)
    world.change_settings(one, attrs.evolve(one.settings, **names), result())


# --- seeking ---------------------------------------------------------------------------------------------------


def test_a_new_one_replaces_the_old_one_and_switches_ready_on() -> None:
    world = world_of("ann")
    ann = user(world, "ann")
    seeking.seek(world, ann, wanted(1), result())
    seeking.seek(world, ann, wanted(3), result())
    assert ann.seek == wanted(3)
    assert world.row(ann, START)[0].ready


@pytest.mark.parametrize(
    ("seek", "why"),
    [
        (wanted(10), Refusal.INVITE_EXPERIENCE),
        (wanted(100), Refusal.INVITE_LENGTH),
        (wanted(0), Refusal.INVITE_LENGTH),
        (wanted(5, AddedTerms(stake=5)), Refusal.TERM_STAKE_OFF),
    ],
)
def test_what_cannot_be_invited_to_cannot_be_sought(seek: Seek, why: Refusal) -> None:
    world, ann, _ = room()
    ann.seek = wanted(3)
    assert refusal(seeking.seek, world, ann, seek, result()) is why
    assert ann.seek == wanted(3), "a refusal changes nothing"


def test_who_has_left_too_many_matches_seeks_none() -> None:
    world, ann, _ = room()
    world.house = attrs.evolve(world.house, max_saved=1)
    leave(world, begin(world, "ann", "bob"), ann, result())
    assert refusal(seeking.seek, world, ann, wanted(), result()) is Refusal.NO_NEW_GAMES


def test_seeking_counts_among_the_invitations_of_a_minute() -> None:
    world, ann, _ = room()
    world.house = attrs.evolve(world.house, invitations_per_minute=1)
    world.spend(ann, Habit.INVITATION, START)
    assert refusal(seeking.seek, world, ann, wanted(), Result(now=START)) is Refusal.TOO_OFTEN
    assert ann.seek is None


@pytest.mark.parametrize("words", ["5 max 1500.555", "5 max -1", "5 min 10000", "5 min", "5 max \u0661"])
def test_what_is_no_rating_is_no_limit(words: str) -> None:
    world, ann, _ = room()
    assert refusal(seek_command, call("ann", words), world) is Refusal.SEEK_RATING
    assert ann.seek is None


@pytest.mark.parametrize("words", ["5", "unlimited jacoby", "5 nackgammon clock 60 5 max 1600 min 1400.5"])
def test_the_words_of_one_make_the_same_again(words: str) -> None:
    world, ann, _ = room()
    seek_command(call("ann", words), world)
    assert ann.seek is not None
    assert ann.seek.words == words


# --- its end ---------------------------------------------------------------------------------------------------


def test_it_ends_with_ready() -> None:
    world, ann, _ = room()
    seeking.seek(world, ann, wanted(), result())
    toggle(call("ann", "ready"), world)
    assert ann.seek is None
    toggle(call("ann", "ready"), world)
    assert ann.seek is None


def test_it_ends_with_a_match_of_either_kind() -> None:
    world, ann, bob = room()
    for one in (ann, bob):
        seeking.seek(world, one, wanted(), result())
    begin(world, "ann", "bob")
    assert (ann.seek, bob.seek) == (None, None)
    assert seeking.shown_to(world, user(world, "eve")) == []


def test_it_ends_with_the_session() -> None:
    world, ann, bob = room()
    for one in (ann, bob):
        seeking.seek(world, one, wanted(), result())
    connection = Connection(id=SessionId(99), kind=SessionKind.CLIP, host="192.0.2.x")
    enter(world, Newcomer(connection=connection, account=bob.account), (), (), result())
    assert bob.seek is None, "a second login is a new session"
    depart(world, ann, Farewell.DROP, result())
    assert seeking.shown_to(world, user(world, "eve")) == []


# --- taking ----------------------------------------------------------------------------------------------------


def test_both_play_as_after_an_invitation() -> None:
    world, ann, bob = room()
    seeking.seek(world, ann, wanted(3, TERMS), result())
    out = result()
    assert seeking.is_open_to(ann, bob)
    seeking.take(world, bob, ann, out)
    assert ann.table is not None
    assert ann.table == bob.table
    table = world.tables[ann.table]
    assert table.terms.length == 3
    assert table.terms.added == TERMS
    joined = [event for envelope in out.envelopes for event in envelope.events if isinstance(event, MatchJoined)]
    assert joined == [MatchJoined(names=table.names, inviter=table.side_of(ann.name), length=3)]
    assert refusal(seeking.take, world, user(world, "eve"), ann, result()) is Refusal.DIDNT_INVITE


@pytest.mark.parametrize(
    ("rating", "most", "least", "why"),
    [
        (1500.004, 1500.0, None, None),
        (1500.006, 1500.0, None, Refusal.SEEK_TOO_HIGH),
        (1499.996, None, 1500.0, None),
        (1499.994, None, 1500.0, Refusal.SEEK_TOO_LOW),
        (1500.0, 1500.0, 1500.0, None),
    ],
)
def test_limits_hold_for_the_rating_as_it_is_shown(
    rating: float, most: float | None, least: float | None, why: Refusal | None
) -> None:
    world, ann, bob = room(rating=rating)
    seeking.seek(world, ann, wanted(most=most, least=least), result())
    if why is None:
        seeking.take(world, bob, ann, result())
        assert bob.table is not None
    else:
        assert refusal(seeking.take, world, bob, ann, result()) is why
        assert bob.table is None
        assert ann.seek is not None, "others may still take it"


@pytest.mark.parametrize(("who", "why"), [("ann", Refusal.REFUSING_GAMES), ("bob", Refusal.DIDNT_INVITE)])
def test_who_has_blinded_the_other_plays_no_match_with_him(who: str, why: Refusal) -> None:
    world, ann, bob = room()
    seeking.seek(world, ann, wanted(), result())
    ban(world, who, blinded=frozenset({ann.name, bob.name}))
    assert seeking.shown_to(world, bob) == []
    assert refusal(join, call("bob", "ann"), world) is why
    assert (ann.table, bob.table) == (None, None)


def test_gagging_does_not_matter() -> None:
    world, ann, bob = room()
    seeking.seek(world, ann, wanted(), result())
    for who in ("ann", "bob"):
        ban(world, who, gagged=frozenset({ann.name, bob.name}))
    assert seeking.shown_to(world, bob) == [ann]
    join(call("bob", "ann"), world)
    assert bob.table is not None


def test_who_wants_no_extras_takes_those_without_added_terms() -> None:
    world, ann, bob = room()
    world.change_settings(bob, READY, result())
    seeking.seek(world, ann, wanted(3, TERMS), result())
    assert refusal(seeking.take, world, bob, ann, result()) is Refusal.TERM_OFF
    seeking.seek(world, ann, wanted(3), result())
    seeking.take(world, bob, ann, result())
    assert bob.table is not None


def test_the_seeker_is_looked_at_once_more() -> None:
    """He may want no extras any more, and the operator may have set other bounds."""
    world, ann, bob = room()
    seeking.seek(world, ann, wanted(3, TERMS), result())
    world.change_settings(ann, READY, result())
    assert refusal(seeking.take, world, bob, ann, result()) is Refusal.TERM_NOT_TAKEN
    seeking.seek(world, ann, wanted(3), result())
    bob.account = attrs.evolve(bob.account, experience=1000)
    world.house = attrs.evolve(world.house, long_match=1)
    assert refusal(seeking.take, world, bob, ann, result()) is Refusal.REFUSING_GAMES
    assert (ann.table, bob.table) == (None, None)


def test_the_joiner_needs_what_the_length_asks_for() -> None:
    world, ann, bob = room()
    ann.account = attrs.evolve(ann.account, experience=1000)
    seeking.seek(world, ann, wanted(25), result())
    assert refusal(seeking.take, world, bob, ann, result()) is Refusal.INVITE_EXPERIENCE


def test_an_invitation_to_the_joiner_himself_comes_first() -> None:
    world, ann, bob = room()
    seeking.seek(world, ann, wanted(), result())
    invite(world, ann, bob, 5, result())
    assert not seeking.is_open_to(ann, bob)
    assert seeking.is_open_to(ann, user(world, "eve"))
    assert not seeking.is_open_to(ann, ann)


# --- rematch ---------------------------------------------------------------------------------------------------


def after_a_match(added: AddedTerms = TERMS) -> tuple[World, Presence, Presence]:
    """Ann and bob have finished a match of three points, by giving up."""
    world, ann, bob = room()
    seeking.seek(world, ann, wanted(1, added), result())
    seeking.take(world, bob, ann, result())
    assert ann.table is not None
    award(world, world.tables[ann.table], Side.O, AwardReason.TIME, result())
    return world, ann, bob


def test_both_ask_and_the_match_begins() -> None:
    world, ann, bob = after_a_match(AddedTerms(variant=VARIANTS["nackgammon"]))
    seeking.rematch(world, bob, result())
    assert (ann.table, bob.table) == (None, None)
    seeking.rematch(world, ann, result())
    assert ann.table is not None
    assert ann.table == bob.table
    assert world.tables[ann.table].terms.added.variant is VARIANTS["nackgammon"]


def test_another_invitation_is_not_the_one_that_is_asked_for() -> None:
    """Ann is asked about what she is offered, and does not begin it by asking for something else."""
    world, ann, bob = after_a_match()
    invite(world, bob, ann, 5, result())
    seeking.rematch(world, ann, result())
    assert ann.table is None
    assert ann.invitation is not None


def test_it_is_refused_without_an_opponent() -> None:
    world, ann, bob = after_a_match()
    assert refusal(seeking.rematch, world, user(world, "eve"), result()) is Refusal.REMATCH_NONE
    begin(world, "eve", "bob")
    assert refusal(seeking.rematch, world, ann, result()) is Refusal.ALREADY_PLAYING_OTHER
    assert refusal(seeking.rematch, world, bob, result()) is Refusal.ALREADY_PLAYING


def test_it_is_over_when_one_has_logged_out_even_if_he_comes_back() -> None:
    world, ann, bob = after_a_match()
    depart(world, bob, Farewell.LOGOUT, result())
    assert refusal(seeking.rematch, world, ann, result()) is Refusal.REMATCH_GONE
    connection = Connection(id=SessionId(99), kind=SessionKind.CLIP, host="192.0.2.x")
    enter(world, Newcomer(connection=connection, account=bob.account), (), (), result())
    assert refusal(seeking.rematch, world, ann, result()) is Refusal.REMATCH_GONE
    assert refusal(seeking.rematch, world, user(world, "bob"), result()) is Refusal.REMATCH_NONE


def test_a_second_login_is_no_leaving() -> None:
    world, ann, bob = after_a_match()
    connection = Connection(id=SessionId(99), kind=SessionKind.TELNET, host="192.0.2.x")
    enter(world, Newcomer(connection=connection, account=bob.account), (), (), result())
    seeking.rematch(world, ann, result())
    seeking.rematch(world, user(world, "bob"), result())
    assert ann.table is not None


@pytest.mark.parametrize(("who", "why"), [("ann", Refusal.TERM_OFF), ("bob", Refusal.TERM_NOT_TAKEN)])
def test_added_terms_need_both_to_want_them_still(who: str, why: Refusal) -> None:
    world, ann, _ = after_a_match()
    world.change_settings(user(world, who), READY, result())
    assert refusal(seeking.rematch, world, ann, result()) is why


def test_an_opponent_who_was_renamed_is_named_so() -> None:
    world, ann, bob = after_a_match()
    depart(world, bob, Farewell.LOGOUT, result())
    world.rename(UserName("bob"), UserName("rob"))
    with pytest.raises(Refused) as raised:
        seeking.rematch(world, ann, result())
    assert raised.value.fields == {"name": "rob"}
