"""Reading long answers in a terminal: pages and wrapped lines."""

from tests.support.client import serving


async def telnet(server, *settings):
    await server.user("alice")
    client = await server.login("alice", "telnet")
    for line in settings:
        await server.ask(client, line)
    client.take()
    return client


async def test_a_long_answer_stops_after_a_page_and_enter_goes_on(autojump_clock):
    async with serving() as server:
        alice = await telnet(server, "set pagelength 8")
        await alice.send("toggle")
        await server.settle()
        text = alice.take().decode()
        assert text.startswith("The current settings are:\r\n")
        assert text.endswith("bell            NO\r\ncrawford        YES\r\ndouble          YES\r\n"
                             "-- 10 more lines: Enter goes on, any other line leaves -- ")  # fmt: skip
        await alice.send("")
        await server.settle()
        assert alice.take().decode().endswith("-- 2 more lines: Enter goes on, any other line leaves -- ")
        await alice.send("")
        await server.settle()
        assert alice.take() == b"telnet          YES\r\nwrap            NO\r\n> "
        await alice.send("")
        await server.settle()
        assert alice.take() == b"> "


async def test_any_other_line_leaves_the_pager_and_is_done(autojump_clock):
    async with serving() as server:
        alice = await telnet(server, "set pagelength 5")
        await server.ask(alice, "toggle")
        alice.take()
        await alice.send("back")
        await server.settle()
        assert alice.take() == b"** You're not away.\r\n> "
        await alice.send("")
        await server.settle()
        assert alice.take() == b"> "


async def test_news_come_between_pages_and_the_pager_stays(autojump_clock):
    async with serving() as server:
        alice = await telnet(server, "set pagelength 5")
        bob = (await server.online("bob"))[0]
        await server.ask(alice, "toggle")
        alice.take()
        await server.ask(bob, "tell alice hi")
        assert alice.take() == b"\r\nbob says: hi\r\n-- 13 more lines: Enter goes on, any other line leaves -- "


async def test_programs_get_no_pages_and_no_wrapped_lines(autojump_clock):
    async with serving() as server:
        (alice,) = await server.online("alice")
        await server.ask(alice, "set pagelength 5", "toggle wrap", "set linelength 30")
        assert len(await server.ask(alice, "toggle")) == 18
        long = "word " * 20
        assert await server.ask(alice, f"tell alice {long}") == [f"You say to yourself: {long.strip()}"]


async def test_lines_are_wrapped_for_people_but_boards_are_not(autojump_clock):
    async with serving() as server:
        alice = await telnet(server, "toggle wrap", "set linelength 40")
        bob = (await server.online("bob"))[0]
        alice.take()
        lines = await server.ask(alice, "tell alice one two three four five six seven eight")
        assert lines == ["You say to yourself: one two three four", "  five six seven eight"]
        await server.ask(bob, "toggle ready")
        await server.ask(alice, "invite bob 1")
        await bob.send("join alice")
        await server.settle()
        assert b"   +------------------------------------------+ X: bob - score: 0\r\n" in alice.take()
