"""Administration: in-band by administrators, and at the machine."""

import attrs
import pytest

from fibsd.commands.admin.act import duration_s
from fibsd.commands.admin.table import ADMIN_COMMANDS
from fibsd.world.changes import MutedUntil, RightsChanged
from fibsd.world.errors import Refused
from fibsd.world.ids import UserName
from tests.support.client import PASSWORD, Server, serving


async def promote(server: Server, name: str, *rights: str) -> None:
    """Give a user rights at the machine."""
    answer = await server.engine.administer(f"rights {name} {' '.join(rights)}")
    assert answer == [f"Rights of {name}: {' '.join(sorted(rights))}."]


async def test_nobody_else_has_the_command(autojump_clock):
    async with serving() as server:
        alice, _ = await server.online("alice", "bob")
        assert await server.ask(alice, "admin close bob") == ["** Unknown command: 'admin'"]
        assert await server.ask(alice, "shutdown") == ["** Unknown command: 'shutdown'"]
        assert "bob" in server.world.users


async def test_mark_of_a_bot_gives_no_right_and_rights_leave_it_alone(autojump_clock):
    async with serving() as server:
        (alice,) = await server.online("alice")
        await server.ask(alice, "set bot yes")
        assert await server.ask(alice, "admin help") == ["** Unknown command: 'admin'"]
        await promote(server, "alice", "admin")
        assert server.world.users[UserName("alice")].account.rights == {"admin", "bot"}
        await server.ask(alice, "set bot no", "set bot yes")
        assert server.world.users[UserName("alice")].account.rights == {"admin", "bot"}
        await server.engine.administer("rights alice none")
        await server.ask(alice, "bye")
        stored = await server.store.account("alice")
        assert stored is not None
        assert stored.rights == {"bot"}


async def test_help_lists_what_one_may_do(autojump_clock):
    async with serving() as server:
        alice, bob = await server.online("alice", "bob")
        await promote(server, "alice", "admin")
        await promote(server, "bob", "moderator")
        everything = await server.ask(alice, "admin help")
        assert [line.split()[1] for line in everything] == list(ADMIN_COMMANDS)
        some = await server.ask(bob, "admin")
        assert "admin ban" in " ".join(some)
        assert "admin shutdown" not in " ".join(some)
        assert await server.ask(bob, "admin shutdown 5") == [
            "** There is no 'admin shutdown' for you. Type 'admin help'."
        ]


async def test_alert_reaches_each_in_his_own_form(autojump_clock):
    async with serving() as server:
        alice, bob = await server.online("alice", "bob")
        await promote(server, "alice", "admin")
        await server.user("carol")
        carol = server.connect()
        await carol.send(f"login tester 1009 carol {PASSWORD}")
        await server.user("dave")
        dave = await server.login("dave", "telnet")
        await server.settle()
        alice.take()
        carol.take()
        bob.take()
        dave.take()
        assert await server.ask(alice, "admin alert Tea is ready.") == [
            "*** ATTENTION ! Tea is ready.",
            "Told 4 users.",
        ]
        assert carol.lines() == ["20 alice Tea is ready."]
        assert bob.lines() == ["*** ATTENTION ! Tea is ready."]
        assert dave.take() == b"\r\nalice alerts you: Tea is ready.\r\n> "


async def test_closing_a_connection_saves_the_game(autojump_clock):
    async with serving() as server:
        alice, bob, carol = await server.online("alice", "bob", "carol")
        await promote(server, "carol", "moderator")
        await server.ask(bob, "toggle ready")
        await server.ask(alice, "invite bob 3")
        await server.ask(bob, "join alice")
        for client in (alice, bob, carol):
            client.take()
        assert (await server.ask(carol, "admin close alice Take a walk."))[0] == "Closed the connection of alice."
        assert "** carol closes your connection. Take a walk." in alice.lines()
        await alice.wait_closed()
        lines = bob.lines()
        assert "carol closes connection with alice. The game was saved." in lines
        assert "8 alice carol closes connection with alice." in lines
        assert server.world.users[UserName("bob")].table is None


async def test_a_ban_keeps_a_user_out_until_it_ends_or_is_lifted(autojump_clock):
    async with serving() as server:
        alice, bob = await server.online("alice", "bob")
        await promote(server, "alice", "admin")
        answer = await server.ask(alice, "admin ban bob 30m swears")
        assert answer[0].startswith("ban 1: bob until Fri Jul  3 16:34:27 2020 UTC, by alice: swears")
        await bob.wait_closed()
        again = server.connect()
        await again.send(f"login tester 1008 bob {PASSWORD}")
        await server.settle()
        assert "** access denied!" in again.lines()
        await server.later(1801)
        await server.login("bob")
        assert (await server.ask(alice, "admin bans"))[-1] == "There are no bans."
        await server.ask(alice, "admin ban bob ever")
        assert (await server.ask(alice, "admin unban bob"))[-1].startswith("Lifted: ban 2: bob for ever")
        await server.login("bob")


async def test_a_banned_range_can_neither_log_in_nor_register(autojump_clock):
    async with serving() as server:
        (alice,) = await server.online("alice")
        await promote(server, "alice", "admin")
        await server.user("bob")
        await server.ask(alice, "admin ban 198.51.100.0/24 ever spam")
        client = server.connect("198.51.100.9")
        await client.send("guest", "name mallory")
        await server.settle()
        assert "Your site is not allowed to create new accounts." in client.take().decode()
        client = server.connect("198.51.100.9")
        await client.send(f"login tester 1008 bob {PASSWORD}")
        await server.settle()
        assert "** access denied!" in client.lines()
        await server.login("bob", peer="198.51.101.9")


async def test_bans_outlast_a_restart(autojump_clock):
    async with serving() as server:
        await server.user("bob")
        await server.engine.administer("ban bob ever")
        store = server.store
        assert [ban.name for ban in await store.bans()] == ["bob"]


async def test_a_muted_user_is_not_heard(autojump_clock):
    async with serving() as server:
        alice, bob = await server.online("alice", "bob")
        await promote(server, "alice", "moderator")
        assert await server.ask(alice, "admin mute bob 30m") == ["bob is muted."]
        assert await server.ask(bob, "shout hi") == ["** shouting has been disabled for you"]
        await server.ask(bob, "watch alice")
        assert await server.ask(bob, "kibitz hi") == ["** An administrator has asked you to be silent."]
        assert await server.ask(bob, "tell alice hi") == ["16 alice hi"]
        await server.later(1801)
        bob.take()
        assert (await server.ask(bob, "shout hi"))[0] == "17 hi"
        await server.ask(alice, "admin mute bob ever")
        await server.ask(alice, "admin unmute bob")
        assert (await server.ask(bob, "shout hi"))[0] == "17 hi"


async def test_renaming_carries_saved_matches(autojump_clock):
    async with serving() as server:
        alice, bob = await server.online("alice", "bob")
        await server.ask(bob, "toggle ready")
        await server.ask(alice, "invite bob 3")
        await server.ask(bob, "join alice")
        assert await server.engine.administer("rename bob robert") == ["** bob is on-line. Close the connection first."]
        await server.ask(bob, "bye")
        assert await server.engine.administer("rename bob alice") == ["** 'alice' is already used by someone else."]
        assert await server.engine.administer("rename bob r2d2") == ["** 'r2d2' cannot be a name."]
        assert await server.engine.administer("rename bob robert") == ["bob is called robert now."]
        alice.take()
        assert "  robert" in (await server.ask(alice, "show saved"))[1]
        robert = await server.login("robert")
        assert "alice" in (await server.ask(robert, "show saved"))[1]


async def test_a_new_password_works_and_the_old_one_does_not(autojump_clock):
    async with serving() as server:
        await server.user("bob")
        (line,) = await server.engine.administer("password bob")
        password = line.removeprefix("The new password of bob is ")
        client = server.connect()
        await client.send(f"login tester 1008 bob {PASSWORD}", f"login tester 1008 bob {password}")
        await server.settle()
        assert "bob" in server.world.users
        audits = await server.store.audits(10)
        assert password not in repr(audits)


async def test_voiding_a_running_match_leaves_no_trace(autojump_clock):
    async with serving() as server:
        alice, bob = await server.online("alice", "bob")
        await server.ask(bob, "toggle ready")
        await server.ask(alice, "invite bob 3")
        await server.ask(bob, "join alice")
        assert await server.engine.administer("void alice bob") == ["The match of alice and bob is void."]
        await server.settle()
        assert server.world.tables == {}
        assert await server.ask(alice, "show saved") != []
        assert await server.store.unfinished(UserName("alice")) == ()


async def test_a_saved_match_is_settled_with_ratings(autojump_clock):
    async with serving() as server:
        alice, bob = await server.online("alice", "bob")
        await server.ask(bob, "toggle ready")
        await server.ask(alice, "invite bob 1")
        await server.ask(bob, "join alice")
        assert (await server.engine.administer("settle alice bob alice"))[0].startswith("** That match is being")
        await server.ask(bob, "bye")
        assert await server.engine.administer("settle alice bob carol") == ["** carol does not play in that match."]
        answer = await server.engine.administer("settle alice bob alice")
        assert answer == ["Settled: alice wins the 1 point match 1-0 . (settled by operator)"]
        stored = await server.store.account("bob")
        # Two newcomers: K = 5 - 1/100 after the match, half the chance each, 4*K*P points.
        assert stored.rating == pytest.approx(1500 - 4 * 4.99 * 0.5)
        assert server.world.users[UserName("alice")].account.rating == pytest.approx(1500 + 4 * 4.99 * 0.5)
        assert stored.experience == 1
        bob = server.connect()
        await bob.send(f"login tester 1008 bob {PASSWORD}")
        await server.settle()
        assert "9 fibsd 1593792267 alice wins the 1 point match 1-0 . (settled by operator)" in bob.lines()


async def test_the_message_of_the_day_is_edited_while_running(autojump_clock):
    async with serving() as server:
        (alice,) = await server.online("alice")
        await promote(server, "alice", "admin")
        await server.ask(alice, "admin motd set Welcome!")
        lines = await server.ask(alice, "admin motd add Be nice.")
        border = f"+{'-' * 68}+"
        assert lines == [border, f"| {'Welcome!':<66} |", f"| {'Be nice.':<66} |", border]
        assert await server.ask(alice, "motd") == ["3", *lines, "4"]
        assert await server.store.text("motd") == "Welcome!\nBe nice."
        assert await server.ask(alice, "admin motd clear") == ["There is no message of the day now."]


async def test_everybody_is_reminded_of_a_shutdown_and_it_comes(autojump_clock):
    async with serving() as server:
        alice, bob = await server.online("alice", "bob")
        await promote(server, "alice", "admin")
        assert (await server.ask(alice, "admin shutdown 2 New version."))[-1] == (
            "The server stops in 2 minutes. 'admin cancel' stops that."
        )
        assert bob.lines() == [
            "*** ATTENTION ! The server goes down in 2 minutes. All games will be saved. New version."
        ]
        await server.later(60)
        assert bob.lines()[0].startswith("*** ATTENTION ! The server goes down in 60 seconds.")
        await server.ask(alice, "admin cancel")
        assert bob.lines() == ["*** ATTENTION ! The shutdown was called off."]
        await server.later(600)
        assert not bob.closed
        await server.ask(alice, "admin shutdown 0")
        await server.later(2)
        await bob.wait_closed()
        assert "** System administrator causes shutdown. FIBS is terminating." in bob.lines()


async def test_every_act_is_written_down(autojump_clock):
    async with serving() as server:
        (alice,) = await server.online("alice")
        await promote(server, "alice", "admin")
        await server.user("bob")
        await server.ask(alice, "admin mute bob 30m", "admin show bob", "admin ban bob ever rude words")
        rows = await server.ask(alice, "admin audit")
        assert [row.split("2020 ")[1] for row in rows] == [
            "operator: rights alice admin",
            "alice: mute bob 30m",
            "alice: ban bob ever rude words",
        ]


async def test_rights_are_taken_away_at_once(autojump_clock):
    async with serving() as server:
        (alice,) = await server.online("alice")
        await promote(server, "alice", "admin")
        assert await server.engine.administer("rights alice none") == ["Rights of alice: none."]
        assert await server.ask(alice, "admin help") == ["** Unknown command: 'admin'"]


@pytest.mark.parametrize("line", ["nonsense", "close", "close nobody", "ban", "ban nobody 2h", "ban alice soon",
                                  "mute alice", "rights alice king", "settle alice bob alice", "void alice bob",
                                  "shutdown soon", "cancel", "unban alice", "motd sing"])  # fmt: skip
async def test_what_cannot_be_done_is_refused_and_changes_nothing(autojump_clock, line):
    async with serving() as server:
        await server.online("alice", "bob")
        before = attrs.asdict(server.world.users[UserName("alice")].account)
        (answer,) = await server.engine.administer(line)
        assert answer.startswith("** ")
        assert attrs.asdict(server.world.users[UserName("alice")].account) == before
        assert await server.store.audits(10) == ()


@pytest.mark.parametrize(("word", "seconds"), [("30m", 1800.0), ("2h", 7200.0), ("7d", 604_800.0), ("ever", None)])
def test_durations(word, seconds):
    assert duration_s(word) == seconds


@pytest.mark.parametrize("word", ["", "5", "m", "-5m", "5w", "٥m", "999999m"])
def test_what_is_no_duration(word):
    with pytest.raises(Refused):
        duration_s(word)


def test_changes_of_administrators_are_stored_before_they_are_told():
    assert RightsChanged.durable
    assert MutedUntil.durable
