"""Accounts that are recovered: a new password in exchange for a code."""

import attrs

from fibsd.world.account import Account
from fibsd.world.audience import Result
from fibsd.world.changes import Audit, Audited, Message, MessageLeft, PasswordRecovered
from fibsd.world.ids import UserName
from fibsd.world.results import SERVER_NAME
from fibsd.world.world import World

ACT = "recover"
"""What the audit calls it."""


def recover(world: World, account: Account, password_hash: str, text: str, out: Result) -> bool:
    """Use up an account's recovery code for a new password.

    Args:
        world: The world.
        account: As it was when the code was right.
        password_hash: Of the new password.
        text: A message that its owner finds at the next login.
        out: Collects what is to be stored, as one job; the store has the last word on whether the code still counts.

    Returns:
        False if the code does not count any more, as far as is known here; then nothing was changed.
    """
    name, used = account.name, account.recovery_hash
    online = world.users.get(name)
    if used is None or (online is not None and online.account.recovery_hash != used):
        return False
    know_recovered(world, name, password_hash)
    message = Message(id=world.next_message, to=name, sender=SERVER_NAME, at=out.now, text=text)
    world.next_message += 1
    out.store(PasswordRecovered(name=name, recovery_hash=used, password_hash=password_hash))
    out.store(MessageLeft(message=message))
    out.store(Audited(audit=Audit(at=out.now, by=name, act=ACT, subject=name)))
    return True


def know_recovered(world: World, name: UserName, password_hash: str) -> None:
    """Let a session of the user, if he has one, know no other password and no code."""
    online = world.users.get(name)
    if online is not None:
        online.account = attrs.evolve(online.account, password_hash=password_hash, recovery_hash=None)
