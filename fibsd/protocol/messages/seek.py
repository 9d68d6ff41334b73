"""Sentences about open invitations and rematches. Except for a rematch's invitation nobody gets any of them unasked."""

from fibsd.protocol.messages.template import line

SEEK_SET = line("seek", "self", "** You seek an opponent: {words}. Type 'unseek' to withdraw it.")
SEEK_WITHDRAWN = line("seek", "self", "** You do not seek an opponent any more.")
SEEKS_HEADER = line("seek", "self", "** name              rating   exp  waiting      length, terms, limits")
SEEKS_ROW = line("seek", "self", "** {name} {rating} {exp}  since {start}  {words}")
SEEKS_NONE = line("seek", "self", "** Nobody seeks an opponent. Type 'seek 1' to be the first.")

SEEK_USAGE = line("seek", "self", "** usage: seek <length|unlimited> [<term> ...] [max <rating>] [min <rating>]")
SEEK_RATING = line("seek", "self", "** '{word}' needs a rating, such as 1500.")
SEEK_RANGE = line("seek", "self", "** No rating is at most {a} and at least {b}.")
SEEK_NONE = line("seek", "self", "** You do not seek an opponent.")
SEEK_NOT_HIS = line("seek", "self", "** {name} does not seek an opponent.")
SEEK_TOO_HIGH = line("seek", "self", "** {name} seeks a rating of at most {a}. Yours is {b}.")
SEEK_TOO_LOW = line("seek", "self", "** {name} seeks a rating of at least {a}. Yours is {b}.")
REMATCH_NONE = line("seek", "self", "** You have not finished a match yet.")
REMATCH_GONE = line("seek", "self", "** {name} has logged out since your match.")
