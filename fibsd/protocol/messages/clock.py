"""Sentences about the players' time, in matches with a clock."""

from fibsd.protocol.messages.template import line

CLOCK_SHORT = line("clock", "player", "You have {time} left.")
CLOCK_LEFT = line("clock", "player watcher", "** Time left: {player1} {time1}, {player2} {time2}.")
CLOCK_LEFT_RUNS = line(
    "clock", "player watcher", "** Time left: {player1} {time1}, {player2} {time2}. The clock of {name} runs."
)
CLOCK_NONE = line("clock", "player watcher", "** This match has no clock.")
