"""The list of everybody, which is kept in sheets, against one that is made anew line by line."""

import random

import attrs

from fibsd.protocol.viewer import View
from fibsd.protocol.views import in_parts, render_all
from fibsd.protocol.views import room as room_view
from fibsd.protocol.views.room import who_line
from fibsd.world import world as world_module
from fibsd.world.account import Settings
from fibsd.world.arrivals import Newcomer, depart
from fibsd.world.arrivals import enter as log_in
from fibsd.world.events import Awaited, AwaitedBy, Farewell
from fibsd.world.ids import SessionId, UserName
from fibsd.world.lobby import Connection, SessionKind
from fibsd.world.world import World
from tests.support.client import START
from tests.support.worlds import enter, result, user, world_of

CLIP = View(kind=SessionKind.CLIP)
LETTERS = "abcdefghijklmnop"


def plain(world: World, now: float) -> bytes:
    """A line for each user in order of login, and the end."""
    lines = [who_line(world.row(presence, now)) for presence in world.users.values()]
    return "".join(line + "\r\n" for line in [*lines, "6"]).encode()


def test_the_silent_are_those_who_typed_nothing_since(monkeypatch):
    """On whichever sheet they stand, whoever has left it."""
    monkeypatch.setattr(world_module, "SHEET", 3)
    chance = random.Random(7)
    world = world_of(*LETTERS)
    for step in range(300):
        now = START + step
        one = chance.choice([*world.users.values()])
        if chance.random() < 0.1 and len(world.users) > 2:
            depart(world, one, Farewell.LOGOUT, result())
        else:
            one.last_input = now
        since = now - chance.randrange(20)
        assert world.silent(since) == [user for user in world.users.values() if user.last_input < since]


def test_kept_list_is_the_same_as_one_made_anew(monkeypatch):
    """Whoever comes, goes, types, or changes something that the list shows, and also when the clock is set back."""
    monkeypatch.setattr(world_module, "SHEET", 3)
    monkeypatch.setattr(room_view, "PART", 4)
    chance = random.Random(5)
    world = world_of(*LETTERS)
    now = START
    for _ in range(400):
        now += chance.choice((0.0, 0.05, chance.uniform(-2, 60)))
        one = chance.choice([*world.users.values()])
        match chance.randrange(6):
            case 0 if len(world.users) > 2:
                depart(world, one, Farewell.LOGOUT, result())
            case 1:
                free = [letter for letter in LETTERS if UserName(letter) not in world.users]
                if free:
                    enter(world, free[0])
            case 2:
                one.away = None if one.away else "Lunch."
            case 3:
                one.account = attrs.evolve(one.account, settings=Settings(email=f"{chance.randrange(9)}%d%@x"))
            case 4:
                one.connection = attrs.evolve(one.connection, client=f"%s{chance.randrange(9)}")
            case _:
                one.last_input = now
        listed = world.user_list(now)
        assert render_all((listed,), CLIP) == plain(world, now)
        assert b"".join(render_all(part, CLIP) for part in in_parts((listed,), CLIP)) == plain(world, now)


def test_sheet_is_kept_until_one_of_its_users_changes(monkeypatch):
    monkeypatch.setattr(world_module, "SHEET", 2)
    world = world_of("a", "b", "c", "d", "e")
    before = world.user_list(START).sheets
    user(world, "c").last_input = START + 1
    assert world.user_list(START + 1).sheets == before
    user(world, "c").away = "Lunch."
    after = world.user_list(START + 1).sheets
    assert [old is new for old, new in zip(before, after, strict=True)] == [True, False, True]


def test_lines_of_a_sheet_are_kept_until_they_would_be_others():
    """Those who come within the same second are sent the same text, until somebody has typed something."""
    world = world_of("a", "b")
    (sheet,) = world.user_list(START).sheets

    def lines(now: float) -> str:
        listed = world.user_list(now)
        assert render_all((listed,), CLIP) == plain(world, now)
        assert listed.sheets == (sheet,)
        return sheet.lines

    kept = lines(START + 5.25)
    assert lines(START + 5.75) is kept
    user(world, "b").last_input = START + 5.75
    typed = lines(START + 5.75)
    assert [line.split()[8] for line in typed.splitlines()] == ["5", "0"]
    assert lines(START + 5.875) == typed
    assert [line.split()[8] for line in lines(START + 6).splitlines()] == ["6", "1"]


def test_idle_time_goes_by_the_clock():
    """Two kinds of lists agree, and a clock that is set back makes nobody busy in advance."""
    world = world_of("a")
    one = user(world, "a")
    one.last_input = START + 0.9
    assert [one.idle_s(START + at) for at in (-5, 0, 0.9, 0.99, 1.0, 1.95, 2.0)] == [0, 0, 0, 0, 1, 1, 2]


def test_list_that_was_taken_shows_who_was_there_and_how_they_were():
    """It is written later, part by part, and what has changed then may not be stored yet."""
    world = world_of("a", "b")
    expected = plain(world, START + 5)
    listed = world.user_list(START + 5)
    user(world, "a").away = "Lunch."
    depart(world, user(world, "a"), Farewell.LOGOUT, result())
    enter(world, "c")
    assert render_all((listed,), CLIP) == expected


def test_idle_times_are_those_of_the_moment_at_which_a_part_is_written():
    """Who has typed something since the list was asked for is not idle at all."""
    world = world_of("a", "b")
    listed = world.user_list(START + 5)
    user(world, "b").last_input = START + 6
    lines = render_all((listed,), CLIP).decode().splitlines()
    assert [line.split()[8] for line in lines[:2]] == ["5", "0"]
    assert lines == plain(world, START + 5).decode().splitlines()


def test_list_is_prepared_in_steps_of_some_sheets(monkeypatch):
    """Only when more of them have changed than one step may make anew; who is read from them sees the same."""
    monkeypatch.setattr(world_module, "SHEET", 1)
    monkeypatch.setattr(world_module, "SHEETS", 2)
    world = world_of(*"abcdefg")
    world.user_list(START)
    assert world.prepare_list()
    left = []
    for name in "abcdefg":
        user(world, name).away = "Lunch."
    while not world.prepare_list():
        left.append(sum(some.sheet is None for some in world.neighbours))
    assert left == [5, 3, 1]
    assert render_all((world.user_list(START),), CLIP) == plain(world, START)


def test_who_has_gone_is_on_no_sheet_any_more():
    """Not even when something of him changes that is kept: he may still play by a ghost."""
    world = world_of("a", "b")
    gone = user(world, "a")
    depart(world, gone, Farewell.LOGOUT, result())
    expected = plain(world, START)
    kept = world.user_list(START).sheets
    gone.last_input = START - 100
    gone.away = "Lunch."
    assert world.user_list(START).sheets == kept
    assert render_all((world.user_list(START),), CLIP) == expected


def test_waiters_are_told_in_order_of_their_logins():
    """Also after one of them has gone, and one who came back without waiting is told nothing."""
    world = world_of("a", "b", "c", "d")
    for name in "cadb":
        presence = user(world, name)
        presence.waits_for = frozenset({UserName("z")})
        world.waiters[presence.name] = presence
    depart(world, user(world, "b"), Farewell.LOGOUT, result())
    enter(world, "b")
    user(world, "d").forget_other(UserName("z"))
    connection = Connection(id=SessionId(99), kind=SessionKind.TELNET, host="192.0.2.x")
    account = attrs.evolve(user(world, "a").account, name=UserName("z"))
    out = result()
    log_in(world, Newcomer(connection=connection, account=account), (), (), out)
    events = [event for envelope in out.envelopes for event in envelope.events]
    told = [event for event in events if isinstance(event, Awaited | AwaitedBy)]
    assert told == [Awaited("z"), AwaitedBy("a"), Awaited("z"), AwaitedBy("c")]
    assert not any(presence.waits_for for presence in world.users.values())
    assert UserName("d") not in world.waiters
