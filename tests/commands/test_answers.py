"""Programs send the next command only after some answer to the last one (reference 0.2)."""

import pytest

from fibsd.commands.registry import COMMANDS
from tests.support.client import serving


@pytest.mark.parametrize("kind", ["clip", "connect", "telnet"])
async def test_every_command_is_answered(kind, autojump_clock):
    async with serving() as server:
        await server.user("alice")
        await server.user("bob")
        await server.login("bob")
        client = await server.login("alice", kind)
        silent = []
        for name in COMMANDS:
            for line in (name, f"{name} bob", f"{name} bob 5"):
                if client.closed or "alice" not in server.world.users:
                    client = await server.login("alice", kind)
                client.take()
                await client.send(line)
                await server.settle()
                answer = client.take().replace(b"> ", b"").strip(b"\r\n")
                if not answer:
                    silent.append(line)
        assert silent == []
