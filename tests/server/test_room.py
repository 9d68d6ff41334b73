"""News for everybody: gathered, in order, and not for those who know them already."""

import itertools
from types import SimpleNamespace

import attrs
import trio

from fibsd.protocol.viewer import View
from fibsd.server import room as room_module
from fibsd.server.readers import Reader as ReadBy
from fibsd.server.room import STEP, TICK_S, Room
from fibsd.world.account import Settings
from fibsd.world.audience import Announcement
from fibsd.world.events import Arrival, Arrived, Departed, Farewell, ReportStart, ReportWon
from fibsd.world.ids import UserName
from fibsd.world.lobby import SessionKind
from tests.support.client import START
from tests.support.worlds import enter, world_of

ALICE, BOB, CAROL = (UserName(name) for name in ("alice", "bob", "carol"))


@attrs.frozen
class Stuck:
    """The output of a user to whom nothing can be sent at once."""

    name: str

    def send(self, data, after):
        assert after == 0
        return False


class Reader:
    """A room whose news are kept by user."""

    def __init__(self, *names: str, kind: SessionKind = SessionKind.CLIP) -> None:
        self.world = world_of(*names)
        self.sent: dict[str, str] = {}
        self.views: dict[View, View] = {}
        self.told = trio.Event()
        self.on_flush = self.on_look = lambda: None
        self.jobs: dict[str, int] = {}
        self.room = Room(
            world=self.world,
            queue=self._take,
            newest=lambda users: max((self.jobs.get(name, 0) for name in users), default=0),
            flush=self._flush,
            reader=lambda user: ReadBy(Stuck(user.name), self._view(user, kind)) if user.neighbours else None,
            now=self._now,
        )

    def _take(self, output, data):
        self.told.set()
        self.sent[output.name] = self.sent.get(output.name, "") + data.decode()

    def _now(self):
        """It is asked for each user who is shown."""
        self.on_look()
        return START

    def _flush(self):
        self.on_flush()

    def _view(self, presence, kind):
        view = View(kind=kind, toggles=presence.settings.toggles)
        return self.views.setdefault(view, view)

    def lines(self, name: str) -> list[str]:
        return [line.split(" 1500")[0] for line in self.sent.get(name, "").split("\r\n")[:-1]]


async def test_pairs_and_lines_come_in_the_order_of_the_news():
    reader = Reader("alice", "bob", "carol")
    reader.room.add(Announcement(users=(ALICE, BOB), lines=(ReportStart("alice", "bob", 5),), besides={ALICE, BOB}))
    won = ReportWon("bob", "alice", 5, (5, 3))
    reader.room.add(Announcement(users=(BOB, ALICE), lines=(won,), pairs_first=False, besides={ALICE, BOB}))
    await reader.room.tick()
    assert reader.lines("carol") == [
        *("5 alice - - 0 0", "6", "5 bob - - 0 0", "6", "alice and bob start a 5 point match."),
        *("bob wins a 5 point match against alice  5-3 .", "5 bob - - 0 0", "6", "5 alice - - 0 0", "6"),
    ]
    assert reader.lines("alice") == []


async def test_players_of_several_matches_are_told_of_all_but_their_own():
    names = [UserName(name) for name in ("alice", "bob", "carol", "dave", "eve", "fred", "gina")]
    reader = Reader(*names)
    matches = list(zip(names[:-1:2], names[1::2], strict=True))
    for pair in matches:
        reader.room.add(Announcement(users=pair, lines=(ReportStart(*pair, 5),), besides=frozenset(pair)))
    await reader.room.tick()
    for name in names:
        told = [line for line in reader.lines(name) if "start" in line]
        assert told == [
            f"{one} and {other} start a 5 point match." for one, other in matches if name not in (one, other)
        ]


async def test_news_of_who_is_not_stored_wait_and_nobody_elses_do():
    """Those behind them about the same users wait as well, so that all come in order."""
    reader = Reader("alice", "bob", "carol", "dave")
    reader.jobs = {"alice": 4}
    reader.room.add(Announcement(users=(ALICE,), lines=(Arrived("alice", Arrival.LOGIN),), pairs_first=False))
    reader.room.add(Announcement(users=(BOB,), lines=(Arrived("bob", Arrival.LOGIN),)))
    reader.room.add(Announcement(users=(BOB, ALICE), lines=(ReportStart("bob", "alice", 5),)))
    reader.room.add(Announcement(users=(BOB,)))
    reader.room.add(Announcement(users=(CAROL,)))
    reader.room.add(Announcement(users=(), lines=(Departed("alice", Farewell.DROP),)))
    await reader.room.tick()
    assert reader.lines("dave") == ["5 bob - - 0 0", "6", "7 bob bob logs in.", "5 carol - - 0 0", "6"]
    reader.sent.clear()
    await reader.room.tick()
    assert reader.sent == {}
    reader.jobs.clear()
    await reader.room.tick()
    assert reader.lines("dave") == [
        *("7 alice alice logs in.", "5 alice - - 0 0", "6"),
        *("5 bob - - 0 0", "6", "5 alice - - 0 0", "6", "bob and alice start a 5 point match."),
        *("5 bob - - 0 0", "6"),
        "8 alice alice drops connection.",
    ]


async def test_what_has_waited_for_the_store_is_told_without_other_news(autojump_clock, nursery):
    reader = Reader("alice", "bob")
    reader.jobs = {"alice": 4}
    nursery.start_soon(reader.room.run)
    reader.room.add(Announcement(users=(ALICE,)))
    await trio.sleep(3 * TICK_S)
    assert reader.sent == {}
    reader.jobs.clear()
    with trio.fail_after(1.1 * TICK_S):
        await reader.told.wait()
    nursery.cancel_scope.cancel()


async def test_who_logged_in_is_not_told_what_has_waited_since_before():
    reader = Reader("alice", "bob")
    reader.jobs = {"alice": 4}
    reader.room.add(Announcement(users=(ALICE,), lines=(Arrived("alice", Arrival.LOGIN),)))
    await reader.room.tick()
    enter(reader.world, "carol")
    reader.jobs.clear()
    await reader.room.tick()
    assert list(reader.sent) == ["alice", "bob"]


async def test_a_pair_that_waits_already_is_not_sent_twice():
    reader = Reader("alice", "bob")
    for _ in range(3):
        reader.room.add(Announcement(users=(ALICE,), besides=frozenset({ALICE})))
    await reader.room.tick()
    assert reader.lines("bob") == ["5 alice - - 0 0", "6"]
    reader.sent.clear()
    await reader.room.tick()
    assert reader.sent == {}


async def test_who_logs_in_between_two_changes_is_told_of_the_second():
    """But not what else has been said before he came."""
    reader = Reader("alice", "bob")
    reader.room.add(Announcement(users=(ALICE,), lines=(Arrived("alice", Arrival.LOGIN),), besides=frozenset({ALICE})))
    reader.room.add(Announcement(users=(ALICE,), besides=frozenset({ALICE})))
    enter(reader.world, "carol")
    reader.world.users[ALICE].away = "Lunch."
    reader.room.add(Announcement(users=(ALICE,), besides=frozenset({ALICE})))
    enter(reader.world, "dave")
    await reader.room.tick()
    assert reader.lines("carol") == ["5 alice - - 0 1", "6"]
    assert reader.lines("bob") == ["5 alice - - 0 1", "6", "7 alice alice logs in.", "5 alice - - 0 1", "6"]
    assert list(reader.sent) == ["bob", "carol"]


async def test_who_logs_in_after_the_news_has_seen_them_in_his_list():
    reader = Reader("alice", "bob")
    reader.room.add(Announcement(users=(ALICE,), lines=(Arrived("alice", Arrival.LOGIN),), pairs_first=False))
    later = world_of("alice", "bob", "carol")
    reader.world.users, reader.world.logins = later.users, later.logins
    await reader.room.tick()
    assert reader.lines("bob")[0] == "7 alice alice logs in."
    assert reader.lines("carol") == []


async def test_who_has_gone_meanwhile_is_in_no_pair_and_text_users_get_lines_only():
    reader = Reader("alice", "bob", kind=SessionKind.CONNECT)
    reader.room.add(Announcement(users=(ALICE,), lines=(Arrived("alice", Arrival.LOGIN),)))
    reader.room.add(Announcement(users=(ALICE,)))
    reader.world.remove(ALICE)
    await reader.room.tick()
    assert reader.sent == {"bob": "alice logs in.\r\n"}


async def test_others_have_their_turn_while_many_are_told_and_who_goes_meanwhile_is_left_out(monkeypatch):
    # By this clock it takes two fifths of such a turn to tell one of them.
    ticks = itertools.count()
    monkeypatch.setattr(room_module, "time", SimpleNamespace(perf_counter=lambda: float(next(ticks))))
    monkeypatch.setattr(room_module, "TURN_S", 2.5)
    names = [f"u{letter}" for letter in "abcdefghi"]
    reader = Reader(*names)
    first, last = UserName(names[0]), UserName(names[-1])
    turns = []

    def leave_once() -> None:
        turns.append(len(reader.sent))
        if last in reader.world.users:
            reader.world.remove(last)

    reader.on_flush = leave_once
    reader.room.add(Announcement(users=(first,)))
    await reader.room.tick()
    assert list(reader.sent) == names[:-1]
    assert turns == [2, 5, 8, 8]


def by_turns(monkeypatch, reader: Reader, deed) -> None:
    """Let one user be told in each turn; when others have theirs for the first time, something happens."""
    ticks = itertools.count()
    monkeypatch.setattr(room_module, "time", SimpleNamespace(perf_counter=lambda: float(next(ticks))))
    monkeypatch.setattr(room_module, "TURN_S", 1.5)

    def once() -> None:
        reader.on_flush = lambda: None
        deed()

    reader.on_flush = once


async def test_nobody_is_told_of_a_user_as_he_was_before_others_had_their_turn(monkeypatch):
    """Carol may have seen by then that he has changed."""
    reader = Reader("alice", "bob", "carol")
    alice = reader.world.users[ALICE]
    reader.room.add(Announcement(users=(BOB,)))
    reader.room.add(Announcement(users=(ALICE,), lines=(Arrived("alice", Arrival.LOGIN),)))
    by_turns(monkeypatch, reader, lambda: setattr(alice, "away", "Lunch."))
    await reader.room.tick()
    before = ["5 bob - - 0 0", "6", "5 alice - - 0 0", "6", "7 alice alice logs in."]
    after = ["5 bob - - 0 0", "6", "5 alice - - 0 1", "6", "7 alice alice logs in."]
    assert [reader.lines(name) for name in ("alice", "bob", "carol")] == [before, after, after]


async def test_who_chooses_is_not_told_of_a_user_as_he_was_either(monkeypatch):
    """What those are told who know some of the news already is joined for each choice."""
    reader = Reader("alice", "bob", "carol", "dave")
    alice = reader.world.users[ALICE]
    reader.room.add(Announcement(users=(BOB,), besides=frozenset(reader.world.users)))
    reader.room.add(Announcement(users=(ALICE,)))
    by_turns(monkeypatch, reader, lambda: setattr(alice, "away", "Lunch."))
    await reader.room.tick()
    pairs = [reader.lines(name)[0] for name in ("alice", "bob", "carol", "dave")]
    assert pairs == ["5 alice - - 0 0", *["5 alice - - 0 1"] * 3]


async def test_who_has_changed_in_a_way_that_is_not_stored_yet_is_shown_later(monkeypatch):
    """Neither as he was, nor as he is not yet; what is said beside that is told."""
    reader = Reader("bob", "carol", "alice", "dave")
    alice = reader.world.users[ALICE]

    def change() -> None:
        alice.away = "Lunch."
        reader.jobs = {"alice": 4}

    lines = (ReportStart("alice", "dave", 5),)
    besides = frozenset({ALICE, UserName("dave")})
    reader.room.add(Announcement(users=(ALICE, BOB), lines=lines, besides=besides))
    by_turns(monkeypatch, reader, change)
    await reader.room.tick()
    assert reader.lines("bob")[:2] == ["5 alice - - 0 0", "6"]
    assert reader.lines("carol") == ["5 bob - - 0 0", "6", "alice and dave start a 5 point match."]
    reader.sent.clear()
    await reader.room.tick()
    assert reader.sent == {}
    reader.jobs.clear()
    await reader.room.tick()
    assert reader.lines("carol") == ["5 alice - - 0 1", "6"]
    assert list(reader.sent) == ["bob", "carol"]


async def test_what_is_not_stored_and_not_shown_keeps_no_news_back(monkeypatch):
    """As a password that is changed while others have their turn."""
    reader = Reader("alice", "bob", "carol")
    reader.room.add(Announcement(users=(ALICE,)))
    by_turns(monkeypatch, reader, lambda: reader.jobs.update(alice=4))
    await reader.room.tick()
    assert [reader.lines(name) for name in ("alice", "bob", "carol")] == [["5 alice - - 0 0", "6"]] * 3


async def test_who_goes_while_others_are_told_of_him_is_shown_no_more(monkeypatch):
    reader = Reader("bob", "carol", "alice")
    reader.room.add(Announcement(users=(ALICE,), lines=(Arrived("alice", Arrival.LOGIN),)))
    by_turns(monkeypatch, reader, lambda: reader.world.remove(ALICE))
    await reader.room.tick()
    assert reader.lines("bob") == ["5 alice - - 0 0", "6", "7 alice alice logs in."]
    assert reader.lines("carol") == ["7 alice alice logs in."]


async def test_who_comes_back_while_others_are_told_of_him_is_shown_as_he_is(monkeypatch):
    """He himself has a list that is newer."""
    reader = Reader("bob", "carol", "alice")
    reader.room.add(Announcement(users=(ALICE,)))

    def come_back() -> None:
        reader.world.remove(ALICE)
        enter(reader.world, "alice").away = "Lunch."

    by_turns(monkeypatch, reader, come_back)
    await reader.room.tick()
    assert reader.lines("bob") == ["5 alice - - 0 0", "6"]
    assert reader.lines("carol") == ["5 alice - - 0 1", "6"]
    assert list(reader.sent) == ["bob", "carol"]


async def test_news_are_gathered_for_a_tick(autojump_clock, nursery):
    reader = Reader("alice", "bob")
    nursery.start_soon(reader.room.run)
    reader.room.add(Announcement(users=(ALICE,)))
    start = autojump_clock.current_time()
    await reader.told.wait()
    assert TICK_S <= autojump_clock.current_time() - start < TICK_S * 1.1
    nursery.cancel_scope.cancel()


async def test_much_news_is_written_by_steps_and_who_goes_meanwhile_is_told_nothing():
    names = [UserName(f"u{chr(97 + number // 26)}{chr(97 + number % 26)}") for number in range(2 * STEP + 10)]
    reader = Reader("alice", "bob", *names)
    for name in names:
        reader.room.add(Announcement(users=(name,), besides=frozenset(names)))
    rendered = []

    async def others() -> None:
        """Have their turn after each step; in the first of them the first user goes."""
        for _ in range(2):
            rendered.append(len(reader.sent))
            if ALICE in reader.world.users:
                reader.world.remove(ALICE)
            await trio.lowlevel.checkpoint()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(others)
        nursery.start_soon(reader.room.tick)
    assert rendered == [0, 0]
    assert list(reader.sent) == ["bob"]
    assert len(reader.lines("bob")) == 2 * len(names)


async def test_who_changes_while_much_news_is_written_is_told_of_as_he_is():
    names = [UserName(f"u{chr(97 + number // 26)}{chr(97 + number % 26)}") for number in range(STEP + 10)]
    reader = Reader("alice", "bob", *names)
    looked = itertools.count(1)

    def change() -> None:
        """Behind the first step, in which he was written."""
        if next(looked) == STEP + 5:
            reader.world.users[names[0]].away = "Lunch."

    for name in names:
        reader.room.add(Announcement(users=(name,)))
    reader.on_look = change
    await reader.room.tick()
    assert reader.lines("bob")[::2] == [f"5 {name} - - 0 {name == names[0]:d}" for name in names]


async def test_no_kind_of_reader_is_told_of_a_user_as_he_was(monkeypatch):
    """What was written for it before he changed is written anew."""
    reader = Reader("alice", "bob", "carol")
    alice, bob = reader.world.users[ALICE], reader.world.users[BOB]
    bob.account = attrs.evolve(bob.account, settings=Settings(toggles=frozenset()))
    reader.room.add(Announcement(users=(ALICE,)))
    by_turns(monkeypatch, reader, lambda: setattr(alice, "away", "Lunch."))
    await reader.room.tick()
    assert len(reader.views) == 2
    assert [reader.lines(name)[0][-1] for name in ("alice", "bob", "carol")] == ["0", "1", "1"]


async def test_user_is_looked_at_once_for_all_kinds_of_readers():
    reader = Reader("alice", "bob", "carol")
    carol = reader.world.users[CAROL]
    carol.account = attrs.evolve(carol.account, settings=Settings(toggles=frozenset()))
    looks = []
    reader.on_look = lambda: looks.append(len(reader.sent))
    reader.room.add(Announcement(users=(ALICE, BOB)))
    await reader.room.tick()
    assert len(reader.views) == 2
    assert looks == [0, 0]
    assert reader.lines("carol") == reader.lines("alice")
