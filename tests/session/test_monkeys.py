"""Users who type at random.

Whatever they do, every line that anybody is sent is one of FIBS's or one of ours, and the list of users that a client
program keeps by what it is told stays as the server has it.
"""

import random

import attrs
import pytest

from fibsd.backgammon.movegen import legal_plays
from fibsd.backgammon.side import Side
from fibsd.protocol.moves import format_play
from fibsd.protocol.views.room import who_line
from fibsd.world.account import DEFAULT_TOGGLES, Settings, Toggle
from fibsd.world.ids import UserName
from fibsd.world.table import Table
from tests.support import catalogue
from tests.support.client import PASSWORD, Client, Server, run, serving

NAMES = ("alice", "bob", "carol", "dave", "erin")
KINDS = ("clip", "clip", "telnet", "connect", "clip")

ROOM = (
    "who", "who ready", "who {name}", "rawwho {name}", "whois {name}", "who count", "show games", "show saved",
    "show savedcount {name}", "show watchers", "watch {name}", "unwatch", "look {name}", "board", "rawboard", "pip",
    "tell {name} Hello.", "say Hello.", "shout Hello.", "kibitz Hello.", "whisper Hello.", "message {name} Hello.",
    "gag {name}", "blind {name}", "away Gone.", "back", "toggle", "set", "wave", "oldmoves", "oldboard",
    "ratings", "ratings {name}", "time", "version", "xyzzy", "", "!!", "where {name}", "last", "save", "stat",
)  # fmt: skip
# Without `notify` a client does not learn who goes; the other two change how lines are laid out.
KEPT = (Toggle.NOTIFY, Toggle.TELNET, Toggle.WRAP)
TOGGLES = tuple(f"toggle {toggle.value}" for toggle in Toggle if toggle not in KEPT)
MEETING = (
    "invite {name} 1", "invite {name} 3", "invite {name} unlimited", "invite {name}", "join {name}", "join",
    "leave", "void {name}",
)  # fmt: skip
PLAY = (
    "roll", "double", "accept", "reject", "redouble", "beaver", "raccoon", "resign n", "resign g", "resign b",
    "off", "move 24-20 13-9", "m bar-20", "8-5 6-5", "join", "pip", "board",
)  # fmt: skip


@attrs.define
class Monkey:
    """A user who types anything, but plays legal moves now and then, or no game would ever end."""

    name: str
    client: Client
    kind: str
    random: random.Random
    before: str = ""
    users: dict[str, tuple[str, ...]] = attrs.Factory(dict)

    async def login(self, server: Server) -> None:
        """Begin anew, with the list of users that a login sends."""
        self.client = server.connect()
        words = {"clip": "login tester 1008 {} {}", "connect": "connect {} {}", "telnet": "{}\r\n{}"}
        await self.client.send(words[self.kind].format(self.name, PASSWORD))
        await server.settle()
        self.users.clear()
        if self.kind == "clip":
            self.learn(self.client.lines())
        self.client.take()

    def learn(self, lines: list[str]) -> None:
        """Keep the list of users as a client program does: by what it is told."""
        for line in lines:
            words = line.split()
            if words[:1] == ["5"]:
                self.users[words[1]] = tuple(words[2:8])
            elif words[:1] == ["8"]:
                del self.users[words[1]]

    def line(self, server: Server) -> str:
        choice = self.random.random()
        other = self.random.choice(NAMES)
        if server.world.users[UserName(self.name)].table is not None:
            if choice < 0.75:
                return self.legal_move(server) or "roll"
            lines = PLAY if choice < 0.97 else (*ROOM, *MEETING, *TOGGLES)
        elif choice < 0.5:
            invitations = (user.invitation for user in server.world.users.values())
            mine = [offer.inviter for offer in invitations if offer is not None and offer.invitee == self.name]
            lines = (f"join {mine[0]}",) if mine else MEETING
        else:
            lines = (*ROOM, *TOGGLES)
        return self.random.choice(lines).format(name=other)

    def legal_move(self, server: Server) -> str | None:
        table = server.table_of(self.name)
        game, side = table.match.game, table.side_of(UserName(self.name))
        offered = game.offer is not None and game.offer.to_answer is side
        if offered or (game.resignation is not None and game.resignation.side is not side):
            return self.random.choice(("accept", "accept", "reject"))
        if game.dice is None or game.turn is not side:
            return "join" if table.paused else None
        return "move " + format_play(self.random.choice(legal_plays(game.board.seen_by(side), game.dice)), side)

    def judge(self) -> list[str]:
        """The lines of this round that are nobody's."""
        strange = []
        lines = self.client.lines()
        if self.kind == "clip":
            self.learn(lines)
        for line in lines:
            text = line
            if self.kind == "telnet":
                while text.startswith("> "):
                    text = text[2:]
            if self.kind != "clip":
                text = text.removeprefix("\a")
            row = next(catalogue.fitting(text, self.kind), None)
            farewell = self.before == "goodbye"
            self.before = row.id if row is not None else ""
            if row is None and not farewell and not catalogue.is_ours(text):
                strange.append(f"{self.name} ({self.kind}): {line!r}")
        return strange


def next_to_type(server: Server, monkeys: list[Monkey], dice: random.Random) -> Monkey:
    """Mostly somebody who is on turn, so that games get on."""
    on_turn = [
        table.names.of(table.match.game.offer.to_answer if table.match.game.offer else table.match.game.turn)
        for table in server.world.tables.values()
        if table.match.game.turn is not None
    ]
    if on_turn and dice.random() < 0.7:
        name = dice.choice(on_turn)
        return next(monkey for monkey in monkeys if monkey.name == name)
    return dice.choice(monkeys)


async def the_store_knows_all(server: Server) -> None:
    """What the journals tell is what is on the tables, and accounts are stored as they are."""
    live = {**server.world.tables, **server.world.saved}
    for name, presence in server.world.users.items():
        for row in await server.store.unfinished(name):
            restored, table = Table.restore(row), live[row.id]
            assert (restored.match, restored.names, restored.toggles) == (table.match, table.names, table.toggles)
            assert (restored.actions, restored.seq, restored.moved) == (table.actions, table.seq, table.moved)
            assert restored.left_by == table.left_by or row.id in server.world.tables
        stored = await server.store.account(name)
        assert stored is not None
        assert attrs.evolve(stored, last_logout=None) == attrs.evolve(presence.account, last_logout=None)


async def rage(seed: int, rounds: int) -> None:
    # The seed is fixed: a failure must come again.
    dice = random.Random(seed)
    async with serving() as server:
        settings = Settings(toggles=DEFAULT_TOGGLES | {Toggle.READY, Toggle.RATINGS}, redoubles=2)
        for name in NAMES:
            await server.user(name, settings=settings)
        monkeys = []
        for name, kind in zip(NAMES, KINDS, strict=True):
            monkeys.append(Monkey(name, server.connect(), kind, dice))
            await monkeys[-1].login(server)
        for monkey in monkeys:
            monkey.judge()
        for turn in range(rounds):
            monkey = next_to_type(server, monkeys, dice)
            if monkey.client.closed or monkey.name not in server.world.users:
                await monkey.login(server)
            typed = monkey.line(server)
            await monkey.client.send(typed)
            await server.settle()
            strange = [line for one in monkeys for line in one.judge()]
            assert strange == [], f"turn {turn}: {monkey.name} typed {typed!r}"
            lines = [who_line(row).split() for row in server.world.rows(server.world.users, 0.0)]
            now = {words[1]: tuple(words[2:8]) for words in lines}
            for one in monkeys:
                if one.kind == "clip" and one.name in server.world.users:
                    assert one.users == now, f"turn {turn}: {monkey.name} typed {typed!r}, {one.name} has another list"
            for table in server.world.tables.values():
                board = table.match.game.board
                assert all(board.checkers(side) + board.off(side) == 15 for side in Side)
        await the_store_knows_all(server)
        assert (await server.store.counts()).finished_matches > 1, "too little was played to find anything"


@pytest.mark.parametrize("seed", range(3))
def test_nothing_strange_is_sent(seed: int) -> None:
    run(rage, seed, 1500)
