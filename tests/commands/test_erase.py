"""Erasing an account: the password first, then once more `yes`."""

from fibsd.world.ids import UserName
from tests.support.client import PASSWORD, serving

ASKED = b"Your account will be erased for ever. Please give your password: "
SURE = b"Type 'yes' to erase your account, anything else to keep it: "


async def test_an_account_is_erased_after_two_questions(autojump_clock):
    async with serving() as server:
        (bob,) = await server.online("bob")
        await server.user("alice")
        alice = await server.login("alice", "telnet")
        await server.ask(bob, "toggle ready")
        await server.ask(alice, "invite bob 3")
        await server.ask(bob, "join alice")
        await server.ask(alice, "leave")
        alice.take()
        await alice.send("erase")
        await server.settle()
        assert alice.take() == ASKED + b"\xff\xfb\x01"
        await alice.send(PASSWORD)
        await server.settle()
        assert alice.take() == b"\r\n\xff\xfc\x01" + SURE
        bob.take()
        await alice.send("yes")
        await alice.wait_closed()
        assert alice.take().decode().startswith("Your account was erased.\r\n")
        await server.settle()
        assert await server.store.account("alice") is None
        assert await server.store.unfinished(UserName("bob")) == ()
        assert "12 fibsd alice voided your match. It leaves no trace." in bob.lines()
        assert await server.engine.gate.name_is_free("alice")


async def test_nobody_inherits_the_bans_of_an_erased_account(autojump_clock):
    async with serving() as server:
        alice, bob = await server.online("alice", "bob")
        await server.ask(bob, "gag alice", "waitfor alice")
        await server.ask(alice, "erase", PASSWORD, "yes")
        await server.user("alice")
        alice = await server.login("alice")
        bob.take()
        assert await server.ask(alice, "tell bob It is me, another one.") == ["16 bob It is me, another one."]


async def test_a_wrong_password_or_another_word_keeps_the_account(autojump_clock):
    async with serving() as server:
        (alice,) = await server.online("alice")
        assert await server.ask(alice, "erase", "wrong") == [
            ASKED.decode(),
            "** Sorry. Old password not correct.",
        ]
        assert await server.ask(alice, "erase", PASSWORD, "no") == [
            ASKED.decode(),
            SURE.decode(),
            "Your account was not erased.",
        ]
        assert await server.store.account("alice") is not None
        assert await server.ask(alice, "back") == ["** You're not away."]


async def test_not_while_playing(autojump_clock):
    async with serving() as server:
        alice, bob = await server.online("alice", "bob")
        await server.ask(bob, "toggle ready")
        await server.ask(alice, "invite bob 3")
        await server.ask(bob, "join alice")
        alice.take()
        assert await server.ask(alice, "erase") == ["** You can't erase your account while you are playing."]
