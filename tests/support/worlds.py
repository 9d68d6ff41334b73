"""Worlds without a server around them."""

from __future__ import annotations

from fibsd.world.account import DEFAULT_TOGGLES, Account, Settings, Toggle
from fibsd.world.audience import Result
from fibsd.world.ids import SessionId, UserName
from fibsd.world.invitations import invite
from fibsd.world.lobby import Connection, Presence, SessionKind
from fibsd.world.matches import join
from fibsd.world.table import Table
from fibsd.world.world import HouseRules, ServerFacts, World
from tests.support.client import START, ScriptedChance

READY = Settings(toggles=DEFAULT_TOGGLES | {Toggle.READY})


def world_of(*names: str, settings: Settings | None = None, experience: int = 0) -> World:
    """A world with these users on-line as CLIP sessions."""
    world = World(house=HouseRules(), chance=ScriptedChance(), server=ServerFacts(version="0"))
    for name in names:
        enter(world, name, settings=settings, experience=experience)
    return world


def enter(world: World, name: str, *, settings: Settings | None = None, experience: int = 0) -> Presence:
    """Put a user on-line."""
    world.logins += 1
    presence = Presence(
        number=world.logins,
        connection=Connection(id=SessionId(world.logins), kind=SessionKind.CLIP, host="192.0.2.x", client="tester"),
        account=Account(name=UserName(name), password_hash="", experience=experience, settings=settings or Settings()),
        login_at=START,
        last_input=START,
    )
    world.add(presence)
    return presence


def user(world: World, name: str) -> Presence:
    """Somebody on-line."""
    return world.users[UserName(name)]


def begin(world: World, one: str, other: str, length: int | None = 5, dice: str = "3-1") -> Table:
    """A match that `one` has invited `other` to; he has O."""
    world.chance.script(dice)
    invite(world, user(world, one), user(world, other), length, result())
    join(world, user(world, other), user(world, one), result())
    table = user(world, one).table
    assert table is not None
    return world.tables[table]


def result() -> Result:
    """An empty result."""
    return Result(now=START)
