"""Sentences about terms beyond FIBS. They go only to sessions that want what FIBS does not have."""

from fibsd.protocol.messages.template import line

TERM_UNKNOWN = line("terms", "inviter", "** '{word}' is no term. Terms: {known}.")
TERM_TWICE = line("terms", "inviter", "** '{word}' stands there twice. Terms: {known}.")
TERM_CLASH = line("terms", "inviter", "** '{word}' and '{other}' do not go together. Terms: {known}.")
TERM_NUMBER = line("terms", "inviter", "** '{word}' needs a number from {low} to {high}. Terms: {known}.")
TERM_UNLIMITED_ONLY = line("terms", "inviter", "** '{word}' is for unlimited matches only. Terms: {known}.")
TERM_LENGTH_ONLY = line("terms", "inviter", "** '{word}' is for matches with a length only. Terms: {known}.")
TERM_OFF = line("terms", "inviter", "** To play on added terms, type 'set extras yes' first.")
TERM_NOT_TAKEN = line("terms", "inviter", "** {name} plays on FIBS's own terms only.")
TERM_STAKE_OFF = line("terms", "inviter", "** There are no play points on this server.")

TERM_NACKGAMMON = line(
    "terms", "invitee", "** Nackgammon: you start with 2 checkers on 24, 2 on 23, 4 on 13, 3 on 8 and 4 on 6."
)
TERM_HYPERGAMMON = line("terms", "invitee", "** Hypergammon: you start with 3 checkers, one each on 24, 23 and 22.")
TERM_TRICTRAC = line(
    "terms", "invitee", "** Trictrac: the lower number is played first, and there is no cube. See 'help trictrac'."
)
TERM_CLOCK = line(
    "terms", "invitee", "** Clock: {bank} seconds, plus {bonus} after each turn of at most {bonus} seconds."
)
TERM_CLOCK_PLAIN = line("terms", "invitee", "** Clock: {bank} seconds for each game.")
TERM_GHOST = line(
    "terms", "invitee", "** Ghost: for a player whose connection is lost, the server plays on after 10 seconds."
)
TERM_NOCUBE = line("terms", "invitee", "** No cube: nobody can double in this match.")
TERM_JACOBY = line("terms", "invitee", "** Jacoby: a gammon counts single unless the cube was turned.")
TERM_STAKE = line("terms", "invitee", "** Stake: {n} play points from each of you, for the winner.")
TERM_RATED = line("terms", "invitee", "** Rated: you win {win} or lose {lose}.")
TERM_UNRATED = line("terms", "invitee", "** Unrated: nobody's rating changes.")
MOVE_INSIDE = line("terms", "actor", "** You can't move inside your home board in your {nth} move.")
MOVE_ORDER = line("terms", "actor", "** You have to play the {n} in your {nth} move. See 'help trictrac'.")
AWARD_TIME = line("terms", "player watcher", "{loser}'s time is up: {winner} wins {points}.")
AWARD_ABANDONED = line("terms", "player watcher", "{loser} did not come back to the match: {winner} wins {points}.")
TERM_WORDS = line("terms", "player", "** Terms: {words}.")
TERM_OF_MATCH = line("terms", "self", "** {player1} and {player2} play on these terms: {words}.")
TERM_TOLD = line("terms", "player", "This match has added terms: {words}. Type 'help terms' for what they mean.")
