"""Sentences about play points, and about saved matches that the server settles.

They go to sessions that want what FIBS does not have; to others what they must know comes as a tell from `fibsd`.
"""

from fibsd.protocol.messages.template import line

POINTS_SHORT = line("points", "actor", "** You don't have that many play points: you have {points}.")
POINTS_OTHER = line("points", "actor", "** {name} doesn't have that many play points.")
POINTS_HAVE = line("points", "self", "** Your play points: {points}")
POINTS_ASIDE = line("points", "self", "** Set aside in the match with {name}: {points}")
POINTS_FEE = line("points", "invitee", "** The house keeps {percent} percent of the stakes.")
POINTS_WON = line("points", "winner", "You win the stakes: {points} play points.")
POINTS_LOST = line("points", "loser", "{winner} wins the stakes: {points} play points.")
POINTS_RETURNED = line("points", "player", "You have your stake back: {points} play points.")
SETTLEMENT_NEAR = line(
    "settling", "self", "Your saved match with {name} will be settled on {day}, unless you go on with it."
)
SETTLED = line("settling", "player", "{text}")
