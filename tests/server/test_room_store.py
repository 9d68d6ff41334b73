"""News for everybody while the store takes its time: nothing that is not stored, and nobody else's kept back."""

import trio

from fibsd.storage.store import Job
from fibsd.world.changes import MatchStarted
from tests.support.client import PASSWORD, Client, Server, serving
from tests.support.faltering import Faltering

NAMES = ("ann", "ben", "cat", "dan", "eve")


async def online(server: Server) -> list[Client]:
    """Five users, of whom two pairs may begin a match."""
    clients = await server.online(*NAMES)
    for client in clients:
        await client.send("toggle ready")
    await server.settle()
    ann, _, cat, _, _ = clients
    await ann.send("invite ben 3")
    await cat.send("invite dan 3")
    await server.settle()
    for client in clients:
        client.take()
    return clients


def shown(client: Client, *names: str) -> list[tuple[str, str, str]]:
    """Name, opponent and address of these users, as a client was told of them since it was last asked."""
    words = [line.split() for line in client.lines() if line.startswith("5 ")]
    return [(line[1], line[2], line[-1]) for line in words if line[1] in names]


async def test_news_of_others_are_told_while_the_store_hangs(autojump_clock):
    store = Faltering()
    async with serving(store=store) as server:
        _, ben, cat, dan, eve = await online(server)
        store.fall()
        await dan.send("join cat")
        await cat.send("address cat@example.org")
        await eve.send("address eve@example.org")
        await server.settle()
        assert shown(ben, *NAMES) == [("eve", "-", "eve@example.org")]
        store.rise()
        await server.settle()
        assert shown(ben, "cat")[-1] == ("cat", "dan", "cat@example.org")


async def test_what_the_room_tells_a_player_is_not_older_than_his_match(autojump_clock):
    """He was told at its beginning with whom the other plays, and is left out when the others are."""
    store = Faltering()
    async with serving(store=store) as server:
        ann, ben, cat, dan, eve = await online(server)
        store.fall()
        await dan.send("join cat")
        await server.settle()
        await cat.send("address cat@example.org")
        await ann.send("address ann@example.org")
        await server.settle()
        await ben.send("join ann")
        await server.settle()
        store.rise()
        await server.settle()
        for client in (ben, eve):
            assert shown(client, "ann")[-1] == ("ann", "ben", "ann@example.org")


async def test_news_of_who_plays_a_match_that_the_store_refuses_show_him_without_it(autojump_clock):
    def starts(job: Job) -> bool:
        return any(isinstance(change, MatchStarted) for change in job.changes)

    store = Faltering(refuses=starts)
    async with serving(store=store, faults=("job refused by the store",)) as server:
        _, ben, cat, dan, _ = await online(server)
        store.fall()
        await dan.send("join cat")
        await cat.send("address cat@example.org")
        await server.settle()
        assert shown(ben, "cat") == []
        store.rise()
        await server.settle()
        told = shown(ben, "cat", "dan")
        assert ("cat", "-", "cat@example.org") in told
        assert {opponent for _, opponent, _ in told} == {"-"}


async def test_who_logs_in_between_two_changes_learns_of_both(autojump_clock):
    """Of the first by the list, of the second by the news."""
    async with serving() as server:
        ann, _, _, _, _ = await online(server)
        await server.user("fay")
        await ann.send("address one@example.org")
        fay = server.connect()
        await fay.send(f"login tester 1008 fay {PASSWORD}")
        await trio.testing.wait_all_tasks_blocked()
        await ann.send("address two@example.org")
        await server.settle()
        assert [address for _, _, address in shown(fay, "ann")] == ["one@example.org", "two@example.org"]
