"""News for everybody: gathered, in order, and not for those who know them already."""

import itertools
from types import SimpleNamespace

import attrs
import trio

from fibsd.protocol.viewer import View
from fibsd.server import room as room_module
from fibsd.server.readers import Reader as ReadBy
from fibsd.server.room import STEP, TICK_S, Room
from fibsd.world.audience import Announcement
from fibsd.world.events import Arrival, Arrived, ReportStart, ReportWon
from fibsd.world.ids import UserName
from fibsd.world.lobby import SessionKind
from tests.support.client import START
from tests.support.worlds import enter, world_of

ALICE, BOB, CAROL = (UserName(name) for name in ("alice", "bob", "carol"))


REFUSED = 77
"""A job that the store does not take."""


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
        self.on_flush = self.on_stored = lambda: None
        self.jobs: dict[str, int] = {}
        self.waited: list[int] = []
        self.room = Room(
            world=self.world,
            queue=self._take,
            newest=lambda users: max((self.jobs.get(name, 0) for name in users), default=0),
            stored=self._stored,
            flush=self._flush,
            reader=lambda user: ReadBy(Stuck(user.name), self._view(user, kind)) if user.neighbours else None,
            now=lambda: START,
        )

    def _take(self, output, data):
        self.told.set()
        self.sent[output.name] = self.sent.get(output.name, "") + data.decode()

    async def _stored(self, number):
        """It takes a turn of the loop, and some have one more job by then."""
        self.waited.append(number)
        assert not self.sent
        await trio.lowlevel.checkpoint()
        self.jobs = {name: job for name, job in self.jobs.items() if job != number}
        self.on_stored()
        return number != REFUSED

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


async def test_nobody_is_told_before_all_that_is_shown_is_stored():
    """Not even of what has come while one waited; jobs of others do not matter."""
    reader = Reader("alice", "bob", "carol", "dave")
    reader.jobs = {"alice": 4, "bob": 3, "dave": 9}
    reader.room.add(Announcement(users=(ALICE, BOB), besides=frozenset({ALICE, BOB})))
    await reader.room.tick()
    assert reader.waited == [4, 3]
    assert reader.lines("carol") == ["5 alice - - 0 0", "6", "5 bob - - 0 0", "6"]
    assert reader.jobs == {"dave": 9}


async def test_what_the_store_has_refused_is_not_told(monkeypatch):
    """Although it was written already."""
    reader = Reader("alice", "bob")
    alice = reader.world.users[ALICE]
    write = room_module._Written.write

    async def seen_too_early(written):
        """While it is written something happens that is taken back."""
        if not reader.waited:
            alice.away = "Lunch."
            reader.jobs = {"alice": REFUSED}
        await write(written)

    def taken_back():
        alice.away = None

    monkeypatch.setattr(room_module._Written, "write", seen_too_early)
    reader.on_stored = taken_back
    reader.room.add(Announcement(users=(ALICE,), besides=frozenset({ALICE})))
    await reader.room.tick()
    assert reader.waited == [REFUSED]
    assert reader.lines("bob") == ["5 alice - - 0 0", "6"]


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
