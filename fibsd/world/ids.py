"""Names and numbers by which the server's parts speak of users, sessions and matches."""

from typing import NewType

UserName = NewType("UserName", str)
"""Name of an account, in the letter case in which it was registered."""

SessionId = NewType("SessionId", int)
"""Number of one connection, unique while the server runs."""

MatchId = NewType("MatchId", int)
"""Number of one match, unique in the store for ever."""

RESERVED_NAMES = frozenset({"you", "guest", "fibsd", "admin", "operator", "login", "connect", "recover", "bar", "off"})
"""Names (in lower case) that no account may have: they would be read as something else in a FIBS line."""

NAME_LIMIT = 20
"""Longest name of an account, in letters (FIBS: `** Please use a name with at most 20 characters.`)."""
