"""The term `ghost`, with a server: when it plays, when it stops, and what becomes of the match."""

import attrs
import pytest

from fibsd.backgammon.side import BySide
from fibsd.config import Config
from fibsd.server import ghosts
from fibsd.storage.memory import MemoryStore
from fibsd.world.account import DEFAULT_TOGGLES, Settings, Toggle
from fibsd.world.audience import Result
from fibsd.world.changes import MatchRow
from fibsd.world.ids import UserName
from tests.support.client import RAISED, START, Client, Clock, Server, restarted, run, serving

ALICE, BOB = UserName("alice"), UserName("bob")
SETTINGS = Settings(toggles=DEFAULT_TOGGLES | {Toggle.READY}, extras=True)
# The side to roll bears off its last checker; the other one has one left too.
BOTH_AT_THE_END = [0, 1, *[0] * 22, -1, 0]


async def match(server: Server, length: str = "3", kind: str = "clip") -> tuple[Client, Client]:
    """alice, who has O and the first move, plays with bob on the term."""
    for name in ("alice", "bob", "carol"):
        await server.user(name, settings=SETTINGS, rights=frozenset({"admin"} if name == "carol" else ()))
    alice, bob = await server.login("alice", kind), await server.login("bob", kind)
    server.chance.script("3-1")
    await server.ask(alice, f"invite bob {length} ghost")
    await server.ask(bob, "join alice")
    alice.take()
    bob.take()
    return alice, bob


async def entries(server: Server, name: UserName = ALICE) -> list[str]:
    """The journal of somebody's unfinished match, as it is stored."""
    (row,) = await server.store.unfinished(name)
    return list(row.entries)


async def gone(server: Server, client: Client) -> None:
    """His connection is lost, and the ghost plays."""
    await client.hang_up()
    await server.settle()
    await server.later(10)


async def ten_seconds_and_then_one_decision_a_second() -> None:
    async with serving() as server:
        alice, bob = await match(server)
        await server.ask(alice, "m 8-5 6-5")
        await bob.hang_up()
        await server.settle()
        await server.later(9.9)
        assert await entries(server) == ["o 3 1", "O m 8-5 6-5"]
        await server.later(0.1)
        assert (await entries(server))[2:] == ["X + ghost"]
        assert server.table_of("alice").names.x == BOB
        server.chance.script("6-5")
        await server.later(0.9)
        assert len(await entries(server)) == 3
        await server.later(0.1)
        assert (await entries(server))[3:] == ["X r 6 5"]
        await server.later(0.9)
        assert len(await entries(server)) == 4
        await server.later(0.1)
        assert (await entries(server))[4:] == ["X m 24-18 18-13"]
        await server.later(100)
        assert len(await entries(server)) == 5, "it is the turn of alice, who is there"


def test_server_waits_ten_seconds_and_then_one_before_each_decision() -> None:
    run(ten_seconds_and_then_one_decision_a_second)


async def comes_back(seconds: float, report: list[str], journal: list[str]) -> None:
    async with serving() as server:
        alice, bob = await match(server)
        await server.ask(alice, "m 8-5 6-5")
        await bob.hang_up()
        await server.settle()
        await server.later(seconds)
        server.chance.script("6-5 2-1")
        await server.later(1)
        await server.later(1)
        client = server.connect()
        assert "** Ghost: bob is back." not in alice.lines()
        lines = await server.ask(client, "login tester 1008 bob secret")
        assert [line for line in lines if "Ghost" in line] == report
        assert "You are now playing with alice. Your running match was loaded." in lines
        assert any(line.startswith("board:You:alice:3:") for line in lines)
        assert "** Ghost: bob is back." in alice.lines()
        assert (await entries(server))[2:] == journal
        await server.later(20)
        assert (await entries(server))[2:] == journal, "nobody plays for him any more"
        server.chance.dice.clear()


@pytest.mark.parametrize(
    ("seconds", "report", "journal"),
    [
        (2, [], []),
        (10, ["** Ghost: it made 1 move for you."], ["X + ghost", "X r 6 5", "X m 24-18 18-13", "X - ghost"]),
    ],
)
def test_player_who_comes_back_has_his_seat_at_once_and_is_told_what_was_done(
    seconds: float, report: list[str], journal: list[str]
) -> None:
    run(comes_back, seconds, report, journal)


async def ends_the_connection(how: str, goes_on: bool) -> None:
    config = Config(limits=attrs.evolve(RAISED, idle_s=100))
    async with serving(config=config) as server:
        alice, bob = await match(server)
        carol = await server.login("carol")
        if how == "idle":
            server.world.users[BOB].last_input -= 101
            await server.later(0)
        elif how == "hangs up":
            await bob.hang_up()
        elif how == "admin":
            await server.ask(carol, "admin close bob Enough.")
        else:
            await bob.send(how)
        await server.settle()
        if how == "leave":
            await bob.send("bye")
            await server.settle()
        assert BOB not in server.world.users
        assert (server.world.users[ALICE].table is not None) is goes_on
        assert any("The game was saved." in line for line in alice.lines()) is not goes_on
        carol.take()
        row, _ = await server.ask(carol, "who alice")
        assert row.split()[2] == ("bob" if goes_on else "-")


@pytest.mark.parametrize(
    ("how", "goes_on"), [("hangs up", True), ("idle", True), ("admin", True), ("leave", False), ("bye", False)]
)
def test_match_goes_on_when_the_connection_is_lost_and_not_when_a_player_goes(how: str, goes_on: bool) -> None:
    run(ends_the_connection, how, goes_on)


async def last_game_lost() -> None:
    async with serving() as server:
        alice, bob = await match(server, "1")
        await gone(server, bob)
        server.put("alice", BOTH_AT_THE_END, dice="2-1")
        lines = await server.ask(alice, "m 1-off")
        assert "You win the 1 point match 1-0 ." in lines
        assert (server.world.tables, server.world.absent, server.world.deadlines) == ({}, {}, {})
        account = await server.store.account(BOB)
        assert account is not None
        assert (account.experience, account.rating) == (1, pytest.approx(1490.0, abs=0.1))
        client = server.connect()
        lines = await server.ask(client, "login tester 1008 bob secret")
        assert any(line.endswith("alice wins the 1 point match 1-0 .") for line in lines)
        assert server.world.users[BOB].account.experience == 1


def test_match_lost_by_the_ghost_is_over_and_rated_for_both() -> None:
    run(last_game_lost)


async def last_game_won() -> None:
    async with serving() as server:
        alice, bob = await match(server, "1")
        await gone(server, bob)
        server.put("bob", BOTH_AT_THE_END)
        await server.later(1)
        await server.later(1)
        lines = alice.lines()
        assert "** Ghost: it won for bob, so this game does not count." in lines
        assert "score in 1 point match: alice-0 bob-0" in lines
        assert (await entries(server))[-1] == "a"
        bob = await server.login("bob")
        assert await server.ask(bob, "join") == ["** Please wait for alice to join too."]
        server.chance.script("1-3")
        await server.ask(alice, "join")
        # Finished by hand it is rated.
        server.put("bob", BOTH_AT_THE_END, dice="2-1")
        assert "You win the 1 point match 1-0 ." in await server.ask(bob, "m 1-off"), "he has O in this game"
        account = await server.store.account(BOB)
        assert account is not None
        assert account.rating > 1500


def test_match_won_by_the_ghost_stays_open() -> None:
    run(last_game_won)


async def not_back_in_time(logs_in: bool) -> None:
    async with serving() as server:
        alice, bob = await match(server)
        await gone(server, bob)
        server.put("alice", BOTH_AT_THE_END, dice="2-1")
        assert "score in 3 point match: alice-1 bob-0" in await server.ask(alice, "m 1-off")
        if logs_in:
            await server.later(60)
            bob = await server.login("bob")
            await server.later(59)
        else:
            await server.later(119)
        assert server.world.saved == {}
        alice.take()
        await server.later(1)
        (table,) = server.world.saved.values()
        assert (table.left_by, table.match.score.of(table.side_of(ALICE))) == (BOB, 1)
        assert any("The game was saved." in line for line in alice.lines())
        for name in (ALICE, BOB):
            account = await server.store.account(name)
            assert account is not None
            assert (account.rating, account.experience) == (1500.0, 0)
        if not logs_in:
            assert [letter.text for letter in await server.store.messages(BOB)] == [
                "The ghost lost a game for you. Your match with alice was saved."
            ]


@pytest.mark.parametrize("logs_in", [False, True])
def test_match_is_saved_if_the_player_has_not_joined_in_time(logs_in: bool) -> None:
    run(not_back_in_time, logs_in)


async def joins_in_time() -> None:
    async with serving() as server:
        alice, bob = await match(server)
        await gone(server, bob)
        server.put("alice", BOTH_AT_THE_END, dice="2-1")
        await server.ask(alice, "m 1-off")
        bob = await server.login("bob")
        await server.ask(bob, "join")
        await server.later(500)
        assert server.table_of("alice").joined == {BOB}, "he has done his part"


def test_match_waits_without_end_for_the_other_one_once_the_player_has_joined() -> None:
    run(joins_in_time)


async def both_lost() -> None:
    async with serving() as server:
        alice, bob = await match(server)
        await gone(server, bob)
        await alice.hang_up()
        await server.settle()
        (row,) = await server.store.unfinished(ALICE)
        assert row.left_by == BOB, "he was the first to go"
        assert (server.world.tables, server.world.saved, server.world.absent) == ({}, {}, {})
        before = await entries(server)
        await server.later(30)
        assert await entries(server) == before


def test_no_ghost_plays_against_a_ghost() -> None:
    run(both_lost)


async def killed_in_the_midst() -> None:
    async with serving() as server:
        _, bob = await match(server)
        await gone(server, bob)
        store = restarted(server.store)
    async with serving(store) as server:
        alice, bob = await server.login("alice"), await server.login("bob")
        await server.ask(alice, "invite bob")
        await server.ask(bob, "join alice")
        assert (await entries(server))[-2:] == ["X + ghost", "X - ghost"]
        await server.ask(alice, "m 8-5 6-5")
        server.put("bob", BOTH_AT_THE_END, dice="2-1")
        assert "score in 3 point match: bob-1 alice-0" in await server.ask(bob, "m 24-off"), "he won it himself"


def test_match_is_saved_if_the_server_is_killed_while_it_plays() -> None:
    run(killed_in_the_midst)


async def resigned_and_killed() -> None:
    async with serving() as server:
        alice, bob = await match(server)
        await gone(server, bob)
        await server.ask(alice, "resign b")
        await server.later(1)
        store = restarted(server.store)
    async with serving(store) as server:
        alice, bob = await server.login("alice"), await server.login("bob")
        await server.ask(alice, "invite bob")
        lines = await server.ask(bob, "join alice")
        assert "points for bob: 0" in lines
        await server.ask(alice, "join")
        await server.ask(bob, "join")
        assert server.table_of("bob").match.score == BySide.both(0)


def test_points_stay_taken_back_after_a_restart() -> None:
    run(resigned_and_killed)


async def around_an_absent_player() -> None:
    async with serving() as server:
        alice, bob = await match(server)
        carol = await server.login("carol")
        await server.ask(carol, "watch bob")
        await bob.hang_up()
        await server.settle()
        carol.take()
        assert server.world.users[UserName("carol")].watching == ALICE
        assert await server.ask(carol, "kibitz Hello.") == ["19 Hello.", "** 1 user heard you."]
        assert "** There is no one called bob." in await server.ask(carol, "watch bob")
        await server.ask(carol, "watch alice")
        assert any(line.startswith("board:alice:bob:") for line in await server.ask(carol, "board"))
        assert (await server.ask(carol, "pip"))[0].startswith("Pipcounts: ")
        assert (await server.ask(carol, "look alice"))[0].startswith("board:alice:bob:")
        assert await server.ask(carol, "show games") == [
            "List of games:",
            "alice           -             bob (3 point match 0-0)",
            "** alice and bob play on these terms: ghost.",
        ]
        assert (await server.ask(carol, "admin rename bob robert"))[0].startswith("** bob has lost the connection")
        assert "  Not logged in right now." in await server.ask(alice, "whois bob")
        assert "** 'say' can't be used outside a game." in await server.ask(alice, "say Hello.")


def test_others_can_look_at_a_game_with_an_absent_player() -> None:
    run(around_an_absent_player)


async def without_extras() -> None:
    async with serving() as server:
        alice, bob = await match(server)
        for name in (ALICE, BOB):
            user = server.world.users[name]
            server.world.change_settings(user, attrs.evolve(user.settings, extras=False), out := Result(now=START))
            server.engine.deliver(out, None)
        await bob.hang_up()
        await server.settle()
        await server.later(10)
        assert [line for line in alice.lines() if "Ghost" in line] == [
            "12 fibsd Ghost: bob's connection is lost. In 10 seconds the server plays on for bob.",
            "12 fibsd Ghost: the server plays for bob now, until bob is back.",
            "12 fibsd Ghost: a game that it wins does not count, one that it loses does.",
        ]
        bob = server.connect()
        lines = await server.ask(bob, "login tester 1008 bob secret")
        assert [line for line in lines if "Ghost" in line] == ["12 fibsd Ghost: it made 0 moves for you."]


def test_who_wants_only_what_fibs_has_is_told_by_tells() -> None:
    run(without_extras)


async def fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise ZeroDivisionError

    async with serving(faults=("ghost failed",)) as server:
        alice, bob = await match(server)
        await server.ask(alice, "m 8-5 6-5")
        await gone(server, bob)
        monkeypatch.setattr(ghosts, "decide", fails)
        await server.later(1)
        assert [entry["event"] for entry in server.logs].count("ghost failed") == 1
        (table,) = server.world.saved.values()
        assert table.seq == len(await entries(server))
        assert "Network error with bob. The game was saved." in alice.lines()


def test_fault_while_it_plays_ends_that_match_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    run(fault, monkeypatch)


async def rated_while_he_logs_in(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(clock=Clock()) as server:
        alice, bob = await match(server, "1")
        await gone(server, bob)
        server.put("alice", BOTH_AT_THE_END, dice="2-1")
        session = server.connect()
        await server.settle()
        read = MemoryStore.unfinished

        async def slow(store: MemoryStore, name: UserName) -> tuple[MatchRow, ...]:
            rows = await read(store, name)
            if rows and server.world.tables:
                await server.ask(alice, "m 1-off")
            return rows

        monkeypatch.setattr(MemoryStore, "unfinished", slow)
        await server.ask(session, "login tester 1008 bob secret")
        await server.settle()
        assert server.world.users[BOB].account.experience == 1
        assert server.world.saved == {}


def test_match_that_ends_during_his_login_is_over_and_its_rating_known(monkeypatch: pytest.MonkeyPatch) -> None:
    run(rated_while_he_logs_in, monkeypatch)
