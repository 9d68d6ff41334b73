"""Faults that other servers had, as small inputs: each gives the right answer here, over whole sessions."""

from collections.abc import Callable, Sequence

import pytest
import trio

from fibsd.backgammon.side import Side
from fibsd.server.connections import Connections
from fibsd.session.transport import StreamTransport
from fibsd.storage.memory import MemoryStore
from fibsd.storage.store import Outcome
from fibsd.world.account import DEFAULT_TOGGLES, Settings, Toggle
from fibsd.world.ids import UserName
from tests.support.client import PASSWORD, Client, Server, restarted, serving, without

READY = Settings(toggles=DEFAULT_TOGGLES - {Toggle.AUTOBOARD, Toggle.MOREBOARDS} | {Toggle.READY})
NO_CRAWFORD = Settings(toggles=READY.toggles - {Toggle.CRAWFORD})


def news(lines: list[str]) -> list[str]:
    """Lines without the pairs of the user list."""
    return list(without(lines, "5 ", "6"))


async def players(server: Server, *names: str, settings: Settings = READY, **account: float) -> list[Client]:
    """Users who are ready, logged in as CLIP clients."""
    for name in names:
        await server.user(name, settings=settings, **account)
    clients = [await server.login(name) for name in names]
    for client in clients:
        client.take()
    return clients


async def start(server: Server, one: Client, other: Client, names: tuple[str, str], length: str, dice: str) -> None:
    """A match of the two, with O for the inviter; what they are told of it is taken."""
    server.chance.script(dice)
    await server.ask(one, f"invite {names[1]} {length}".strip())
    await server.ask(other, f"join {names[0]}")
    one.take()
    other.take()
    assert server.table_of(names[0]) is server.table_of(names[1])


AB = ("alice", "bob")


async def test_points_are_not_cut_to_a_byte(autojump_clock):
    """An unlimited match, cube 64, a backgammon lost twice: 192 and 384 points."""
    async with serving() as server:
        alice, bob = await players(server, *AB)
        await start(server, alice, bob, AB, "unlimited", "3-1")
        for score in (192, 384):
            table = server.table_of("alice")
            # All of bob's checkers on alice's last point, one of hers left on the other side of it: nobody can hit.
            side = table.side_of(UserName("alice"))
            points = [0] * 26
            points[1 if side is Side.O else 24] = int(side)
            points[25 if side is Side.X else 0] = -int(side) * 15
            server.put("alice", points, dice="2-1", cube=64, owner="alice")
            lines = await server.ask(alice, "move 1-off" if side is Side.O else "move 24-off")
            assert lines[0] == "You win the game and get 192 points. Congratulations!"
            assert lines[1] == f"score in unlimited match: alice-{score} bob-0"
            server.chance.script("3-1")
            await server.ask(alice, "join")
            await server.ask(bob, "join")
            alice.take()


async def test_double_that_waits_survives_a_restart(autojump_clock):
    async with serving() as server:
        alice, bob = await players(server, *AB)
        await start(server, alice, bob, AB, "5", "1-3")
        await server.ask(bob, "move 17-20 19-20")
        await server.ask(alice, "double")
        store = restarted(server.store)
    async with serving(store) as server:
        alice, bob = await server.login("alice"), await server.login("bob")
        await server.ask(alice, "invite bob")
        bob.take()
        lines = news(await server.ask(bob, "join alice"))
        board = lines[5].split(":")
        assert lines[-1] == "alice doubles. Type 'accept' or 'reject'."
        assert (board[32], board[38:41]) == ("-1", ["0", "0", "1"]), "bob, who has X, was doubled and is to answer"
        assert await server.ask(alice, "roll") != []
        assert server.table_of("alice").match.game.dice is None
        server.chance.script("6-5")
        assert (await server.ask(bob, "accept"))[0] == "You accept the double. The cube shows 2."


async def test_whole_state_survives_a_restart(autojump_clock):
    """Score, colours, dice, cube, Crawford state and the switches of the game are what the journal says."""
    async with serving() as server:
        alice, bob = await players(server, *AB)
        await start(server, alice, bob, AB, "3", "3-1")
        await server.ask(alice, "resign g")
        await server.ask(bob, "accept")
        await server.ask(alice, "join")
        server.chance.script("2-6")
        await server.ask(bob, "join")
        await server.ask(alice, "toggle greedy")
        before = server.table_of("alice")
        store = restarted(server.store)
    async with serving(store) as server:
        alice, bob = await server.login("alice"), await server.login("bob")
        await server.ask(bob, "invite alice")
        await server.ask(alice, "join bob")
        after = server.table_of("alice")
        assert after.match == before.match
        assert after.match.is_crawford_game
        assert (after.names, after.toggles, after.actions) == (before.names, before.toggles, before.actions)


async def test_new_match_leaves_the_saved_one_alone(autojump_clock):
    async with serving() as server:
        alice, bob = await players(server, *AB)
        await start(server, alice, bob, AB, "5", "3-1")
        await server.ask(alice, "resign g")
        await server.ask(bob, "accept")
        await server.ask(alice, "leave")
        await start(server, alice, bob, AB, "1", "3-1")
        await server.ask(bob, "resign n")
        await server.ask(alice, "accept")
        await server.ask(alice, "invite bob")
        lines = news(await server.ask(bob, "join alice"))
        assert lines[-5:-2] == ["match length: 5", "points for bob: 2", "points for alice: 0"]


async def test_two_acceptances_in_one_moment_make_one_match(autojump_clock):
    """200 times: alice's second invitation has replaced the first, so only carol can join."""
    async with serving() as server:
        alice, bob, carol = await players(server, "alice", "bob", "carol")
        for _ in range(200):
            server.clock.at += 5
            await alice.send("invite bob 5", "invite carol 5")
            await server.settle()
            bob.take()
            carol.take()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(bob.send, "join alice")
                nursery.start_soon(carol.send, "join alice")
            await server.settle()
            refused = bob.lines()[0]
            assert refused in (
                "** alice didn't invite you.",
                "** Error: alice is already playing with someone else.",
            )
            assert len(server.world.tables) == 1
            assert server.table_of("alice").opponent_of(UserName("alice")) == "carol"
            await server.ask(carol, "leave")
            await server.ask(alice, "void carol")
        assert server.world.saved == {}


async def test_mutual_invitations_make_one_match(autojump_clock):
    async with serving() as server:
        alice, bob = await players(server, *AB)
        await alice.send("invite bob 5")
        await bob.send("invite alice 7")
        await server.settle()
        alice.take()
        bob.take()
        await alice.send("join bob")
        await bob.send("join alice")
        await server.settle()
        (table,) = server.world.tables.values()
        assert table.terms.length in (5, 7)
        refusals = [line for line in alice.lines() + bob.lines() if line.startswith("** You can't play two games")]
        assert len(refusals) == 1
        assert server.world.saved == {}


async def test_nobody_plays_himself(autojump_clock):
    async with serving() as server:
        (alice,) = await players(server, "alice")
        again = await server.login("alice")
        await alice.wait_closed()
        for line in ("invite alice 1", "invite ALICE 1", "invite ali unlimited"):
            assert await server.ask(again, line) == ["** You can't invite yourself."]
        assert await server.ask(again, "join alice") == ["** alice didn't invite you."]
        assert server.world.tables == {}


async def test_watchers_follow_a_player_until_he_goes(autojump_clock):
    async with serving() as server:
        alice, bob, carol = await players(server, "alice", "bob", "carol")
        await server.ask(carol, "watch alice")
        await start(server, alice, bob, AB, "1", "3-1")
        carol.take()
        await server.ask(alice, "resign n")
        await server.ask(bob, "accept")
        assert news(carol.lines())[-1] == "bob wins the 1 point match 1-0 ."
        await start(server, alice, bob, AB, "1", "3-1")
        assert news(carol.lines())[:2] == ["alice and bob start a 1 point match.", "Starting a new game with bob."]
        await server.ask(alice, "bye")
        assert news(carol.lines())[0] == "alice logs out. You're not watching anymore."
        assert (await server.ask(carol, "who carol"))[0].split()[2:4] == ["-", "-"]
        assert await server.ask(carol, "whisper Hello.") == ["** You're not watching or playing."]
        assert await server.ask(carol, "unwatch") == ["** You're not watching."]


@pytest.mark.parametrize(
    ("crawford", "applies"), [((True, False), True), ((False, True), True), ((False, False), False)]
)
async def test_one_player_may_insist_on_the_crawford_rule(crawford, applies, autojump_clock):
    """Settings count as they were at the start; a 3-point match at 2-0."""
    async with serving() as server:
        for name, wanted in zip(AB, crawford, strict=True):
            await server.user(name, settings=READY if wanted else NO_CRAWFORD)
        alice, bob = await server.login("alice"), await server.login("bob")
        await start(server, alice, bob, AB, "3", "3-1")
        await server.ask(alice, "toggle crawford")
        await server.ask(bob, "toggle crawford")
        await server.ask(bob, "resign g")
        await server.ask(alice, "accept")
        await server.ask(alice, "join")
        server.chance.script("3-1 6-5")
        await server.ask(bob, "join")
        alice.take()
        lines = await server.ask(bob, "move 8-5 6-5")
        asked = news(alice.lines())
        if applies:
            assert lines == ["Done.", "alice rolls 6 and 5."]
            assert asked[-2:] == ["You roll 6 and 5.", "Please move 2 pieces."]
        else:
            assert lines == ["Done."]
            assert asked[-1] == "It's your turn. Please roll or double"


async def test_crawford_game_is_played_once(autojump_clock):
    """3-point match, 2-0, then 2-1: the trailing player may double before his first roll; at 2-2 both may."""
    async with serving() as server:
        alice, bob = await players(server, *AB)
        await start(server, alice, bob, AB, "3", "3-1")
        for resigner, accepter, size in ((bob, alice, "g"), (alice, bob, "n")):
            await server.ask(resigner, f"resign {size}")
            await server.ask(accepter, "accept")
            await server.ask(alice, "join")
            server.chance.script("3-1")
            await server.ask(bob, "join")
        assert server.table_of("alice").match.is_post_crawford
        assert not server.table_of("alice").match.is_crawford_game
        await server.ask(alice, "move 8-5 6-5")
        bob.take()
        assert await server.ask(bob, "double") == ["You double. Please wait for alice to accept or reject."]


async def test_both_rating_lines_carry_their_sign(autojump_clock):
    """1700 against 1400, 9 points, both experienced: the favourite wins 3.142692, or loses 8.857308."""
    for winner, change in (("alice", "3.142692"), ("bob", "8.857308")):
        async with serving() as server:
            ratings = Settings(toggles=READY.toggles | {Toggle.RATINGS})
            await server.user("alice", rating=1700, experience=1000, settings=ratings)
            await server.user("bob", rating=1400, experience=1000, settings=ratings)
            clients = {name: await server.login(name) for name in AB}
            await start(server, clients["alice"], clients["bob"], AB, "9", "3-1")
            loser = "bob" if winner == "alice" else "alice"
            server.put(loser, server.table_of(loser).match.game.board.points, score=(0, 8))
            await server.ask(clients[loser], "resign n")
            lines = await server.ask(clients[winner], "accept")
            changes = [line for line in lines if line.startswith("change for")]
            assert changes == [
                f"change for {winner}: 4*K*sqrt(N)*P={change}",
                f"change for {loser}: -4*K*sqrt(N)*P=-{change}",
            ]
            both = [server.world.users[UserName(name)].account.rating for name in AB]
            assert sum(both) == pytest.approx(3100, abs=1e-9)


async def test_experience_counts_with_the_match(autojump_clock):
    """Experience 395, five points, equal ratings: K is 1 and the change 4.472136, shown at once everywhere."""
    async with serving() as server:
        alice, bob = await players(server, *AB, experience=395)
        (carol,) = await server.online("carol")
        await start(server, alice, bob, AB, "5", "3-1")
        server.put("alice", server.table_of("alice").match.game.board.points, score=(4, 0))
        await server.ask(bob, "resign n")
        carol.take()
        await server.ask(alice, "accept")
        assert carol.lines()[0] == "alice wins a 5 point match against bob  5-0 ."
        account = server.world.users[UserName("alice")].account
        assert (account.rating, account.experience) == (pytest.approx(1504.472135955), 400)
        assert (await server.ask(carol, "who bob"))[0].split()[6:8] == ["1495.53", "400"]
        assert "  Rating: 1504.47 Experience: 400" in await server.ask(carol, "whois alice")
        assert "*   1 alice           1504.47     400" in await server.ask(carol, "ratings alice")
        await alice.send("bye")
        again = server.connect()
        await again.send("login x 1008 alice secret")
        await again.expect("1 ")
        assert (await again.expect("2 ")).split()[10:16] == ["400", "0", "0", "0", "1", "1504.47"]


async def test_unlimited_matches_are_not_rated(autojump_clock):
    async with serving() as server:
        alice, bob = await players(server, *AB)
        await start(server, alice, bob, AB, "unlimited", "3-1")
        await server.ask(bob, "resign b")
        await server.ask(alice, "accept")
        await server.ask(alice, "leave")
        accounts = [server.world.users[UserName(name)].account for name in AB]
        assert [(account.rating, account.experience) for account in accounts] == [(1500.0, 0), (1500.0, 0)]


async def test_half_closed_client_gets_all_answers(autojump_clock):
    async with serving() as server:
        await server.user("carol")
        client = server.connect()
        await client.send("login c 1008 carol secret", "who", "bye")
        await client.send_eof()
        await client.wait_closed()
        text = client.take().decode()
        assert text.count("\r\n5 carol ") == 2
        assert text.count("\r\n6\r\n") == 2
        assert "\r\n                             Goodbye.\r\n" in text
        assert server.engine.sessions == {}


async def test_client_that_half_closes_and_never_reads_is_removed(autojump_clock):
    async with serving() as server:
        await server.user("carol")
        ours, theirs = trio.testing.lockstep_stream_pair()
        server.app.serve(StreamTransport(theirs), "192.0.2.9")
        await server.settle()
        await ours.send_stream.aclose()
        await server.settle()
        # The banner was never read: the session waits for it to be taken, but not for ever.
        await trio.sleep(60)
        assert server.engine.sessions == {}
        assert server.app.connections.open == 0


async def test_lines_are_never_glued_together(autojump_clock):
    """An invitation, a shout and a board in the same moment, many times: each is a line of its own, in one order."""
    async with serving() as server:
        alice, bob, carol, dave = await players(server, "alice", "bob", "carol", "dave")
        await server.ask(alice, "toggle autoboard")
        await start(server, alice, bob, AB, "unlimited", "3-1")
        await server.ask(alice, "move 8-5 6-5")
        for _ in range(100):
            server.clock.at += 5
            server.put("bob", "0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0", dice="6-5")
            alice.take()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(carol.send, "shout One.")
                nursery.start_soon(dave.send, "tell alice Two.")
                nursery.start_soon(bob.send, "move 12-18 12-17")
            await server.settle()
            lines = news(alice.lines())
            assert sorted(line.split(":")[0] for line in lines) == sorted(
                [
                    "13 carol One.",
                    "12 dave Two.",
                    "bob moves 12-18 12-17 .",
                    "board",
                    "It's your turn. Please roll or double",
                ]
            )
            at = lines.index("bob moves 12-18 12-17 .")
            assert lines[at + 1].count(":") == 52
            assert lines[at + 2] == "It's your turn. Please roll or double"


async def test_names_differ_by_more_than_their_letter_case(autojump_clock):
    async with serving() as server:
        await server.user("Bob", settings=READY)
        bob = await server.login("Bob")
        (alice,) = await players(server, "alice")
        guest = server.connect()
        await guest.send("guest", "name bob")
        await server.settle()
        assert b"** Please use another name. 'bob' is already used by someone else.\r\n" in guest.take()
        assert await server.ask(alice, "tell bob Hello.") == ["16 Bob Hello."]
        assert news(await server.ask(alice, "watch bOB"))[0] == "You're now watching Bob."
        assert await server.ask(alice, "gag BOB") == ["** You gag Bob."]
        bob.take()
        assert await server.ask(bob, "tell ALICE Hello.") == ["** alice won't listen to you."]


@pytest.mark.parametrize("kind", ["clip", "telnet", "connect"])
async def test_login_ignores_the_letter_case_of_the_name(kind, autojump_clock):
    async with serving() as server:
        await server.user("Bob")
        client = server.connect()
        lines = {"clip": ["login x 1008 bOB secret"], "telnet": ["BOB", "secret"], "connect": ["connect bob secret"]}
        await client.send(*lines[kind])
        await server.settle()
        assert list(server.world.users) == ["Bob"]


async def test_result_is_not_told_again_at_the_next_login(autojump_clock):
    """The message that stands in for a result that was never told goes with the telling, however quick he is."""
    async with serving() as server:
        alice, bob = await players(server, *AB)
        await start(server, alice, bob, AB, "1", "3-1")
        await server.ask(bob, "resign n")
        await alice.send("accept", "bye")
        await alice.wait_closed()
        again = server.connect()
        await again.send("login x 1008 alice secret")
        await server.settle()
        assert not [line for line in again.lines() if line.startswith("9 ")]
        await server.later(10)
        assert await server.store.messages(UserName("bob")) == ()


class StoreOfADyingServer(MemoryStore):
    """Keeps a copy of itself as it is when the end of a match is stored and nobody has been told of it."""

    def start(self, on_outcomes: Callable[[Sequence[Outcome]], None]) -> None:
        def copied(outcomes: Sequence[Outcome]) -> None:
            if self._finished and not hasattr(self, "copy"):
                self.copy = restarted(self)
            on_outcomes(outcomes)

        super().start(copied)


async def test_result_that_was_never_told_waits_as_a_message(autojump_clock):
    dying = StoreOfADyingServer()
    async with serving(dying) as server:
        alice, bob = await players(server, *AB)
        await start(server, alice, bob, AB, "1", "3-1")
        await server.ask(bob, "resign n")
        await server.ask(alice, "accept")
    async with serving(dying.copy) as server:
        client = server.connect()
        await client.send("login x 1008 bob secret")
        assert await client.expect("9 ") == "9 fibsd 1593792267 alice wins the 1 point match 1-0 ."


async def test_passwords_are_in_no_log(autojump_clock):
    """Registering, logging in, failing, changing: the word is found in no log entry."""
    word = "Zz9!unique"
    async with serving() as server:
        guest = server.connect()
        await guest.send("guest", "name carol", word, word)
        await server.settle()
        await guest.send(f"password {word}:{word}2:{word}2", "bye")
        await guest.wait_closed()
        for lines in ([f"login x 1008 carol {word}"], [f"connect carol {word}2"], ["carol", word], [word, word]):
            client = server.connect()
            await client.send(*lines)
            await server.settle()
        assert list(server.world.users) == ["carol"]
        assert server.logs
        assert word not in str(server.logs)


async def test_who_comes_again_has_left_before_though_many_leave_at_once(autojump_clock, monkeypatch):
    """Each departs in his turn, and may be back before it; his match was broken off and is not taken over."""

    async def nobody(_: Connections) -> None:
        await trio.sleep_forever()

    monkeypatch.setattr(Connections, "see_off", nobody)
    async with serving() as server:
        alice, bob = await players(server, *AB)
        await start(server, alice, bob, AB, "1", "3-1")
        await alice.hang_up()
        await server.settle()
        assert "alice" in server.world.users
        assert bob.lines() == []
        again = server.connect()
        await again.send(f"login x 1008 alice {PASSWORD}")
        await server.settle()
        told = bob.lines()
        assert told[0] == "alice drops connection. The game was saved."
        assert [line for line in told if line.startswith(("7 ", "8 "))] == [
            "8 alice alice drops connection.",
            "7 alice alice logs in.",
        ]
        assert server.world.player(UserName("alice")).table is None
        assert [line.split()[2] for line in again.lines() if line.startswith("5 alice ")] == ["-"]
