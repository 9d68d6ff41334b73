"""Sentences about the term `ghost`. Who wants only what FIBS has is told them by the server's tell."""

from fibsd.protocol.messages.template import line

GHOST_LOST = line(
    "ghost", "opponent", "Ghost: {name}'s connection is lost. In {n} seconds the server plays on for {name}."
)
GHOST_LOST_PAUSE = line("ghost", "opponent", "Ghost: {name}'s connection is lost. In {n} seconds the match is saved.")
GHOST_PLAYS = line("ghost", "opponent", "Ghost: the server plays for {name} now, until {name} is back.")
GHOST_RULE = line("ghost", "opponent", "Ghost: a game that it wins does not count, one that it loses does.")
GHOST_WON = line("ghost", "player watcher", "Ghost: it won for {winner}, so this game does not count.")
GHOST_AWAITS = line("ghost", "opponent", "Ghost: {name} has {n} seconds to come back, then the match is saved.")
GHOST_BACK = line("ghost", "opponent", "Ghost: {name} is back.")
GHOST_MADE = line("ghost", "self", "Ghost: it made {moves} for you.")
GHOST_WON_YOURS = line("ghost", "self", "Ghost: it won this game for you, so the game does not count.")
GHOST_LOST_YOURS = line("ghost", "self", "Ghost: it lost this game for you.")
GHOST_JOIN = line("ghost", "self", "Ghost: type 'join' within {n} seconds, or the match is saved.")
