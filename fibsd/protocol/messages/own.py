"""Sentences of our own, for matters that FIBS has none for.

A text session gets them as they stand; a CLIP or `connect` session as a tell from `fibsd`, a form its client knows.
"""

from fibsd.protocol.messages.template import line

OWN_RESIGNATION_WITHDRAWN = line(
    "own", "actor opponent", "The offer to resign was withdrawn when the match was interrupted."
)
OWN_VOIDED = line("own", "opponent", "{name} voided your match. It leaves no trace.")
OWN_YOU_VOIDED = line("own", "actor", "Your match with {name} was voided. It leaves no trace.")
OWN_CORRUPT = line("own", "self", "One of your saved matches cannot be read. Please tell the operator of this server.")
OWN_VOID_NOTHING = line("own", "actor", "** There is no match to void.")
OWN_VOID_TOO_LATE = line("own", "actor", "** It is too late to void this match.")
OWN_BOX_FULL = line("own", "actor", "** {name} has too many messages waiting.")
OWN_SET_CHARSET_BAD = line("own", "self", "** Valid arguments are 'ascii' and 'utf8'.")
OWN_LINE_TOO_LONG = line("own", "self", "** Your line is too long: at most {n} bytes.")
OWN_LOGIN_TIMEOUT = line("own", "self", "** Please log in within {n} seconds.")
OWN_TOO_SLOW = line("own", "self", "** You read too slowly. Goodbye.")
OWN_SERVER_FULL = line("own", "self", "** This server is full. Please try again later.")
OWN_STORE_WAITS = line(
    "own", "self", "The server cannot store anything at the moment. It goes on by itself; please wait."
)
OWN_STORE_BACK = line("own", "self", "Everything is stored again. Play goes on.")
OWN_PASSWORD_SHORT = line("own", "self", "** The new password needs at least 4 characters and may not contain ':'.")
OWN_NO_OLD_GAME = line("own", "self", "** You have not finished a game yet.")
OWN_SET_CHARSET_TO = line("own", "self", "Value of 'charset' set to {value}.")
OWN_WAITFOR_NONE = line("own", "self", "You are not waiting for anybody.")
OWN_WAITFOR_LIST = line("own", "self", "You are waiting for: {names}")
OWN_WAITFOR_SET = line("own", "self", "You will be told when {name} logs in.")
