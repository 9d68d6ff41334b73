"""Sentences of our own, for matters that FIBS has none for.

Answers stand as they are. News that nobody asked for come to a CLIP or `connect` session as a tell from `fibsd`, a form
that its client knows.
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
OWN_TOO_FAST = line("own", "self", "** You type too fast. Goodbye.")
OWN_TOO_MANY = line("own", "self", "** There are {what}. Please try again later.")
OWN_TOO_OFTEN = line("own", "self", "** You do that too often. Please wait a moment.")
OWN_TOO_MANY_ACCOUNTS = line("own", "self", "** Too many new accounts come from your address. Please try again later.")
OWN_TOO_SLOW = line("own", "self", "** You read too slowly. Goodbye.")
OWN_SERVER_FULL = line("own", "self", "** This server is full. Please try again later.")
OWN_STORE_WAITS = line(
    "own", "self", "The server cannot store anything at the moment. It goes on by itself; please wait."
)
OWN_NOT_READABLE = line("own", "self", "** That cannot be looked up at the moment. Please try again later.")
OWN_NOT_STORED = line("own", "self", "** That could not be stored. Please try again.")
OWN_STORE_BACK = line("own", "self", "Everything is stored again. Play goes on.")
OWN_PASSWORD_SHORT = line("own", "self", "** The new password needs at least 4 characters and may not contain ':'.")
OWN_NO_OLD_GAME = line("own", "self", "** You have not finished a game yet.")
OWN_SET_CHARSET_TO = line("own", "self", "Value of 'charset' set to {value}.")
OWN_SET_YES_NO_TO = line("own", "self", "Value of '{word}' set to {value}.")
OWN_SET_YES_NO_BAD = line("own", "self", "** Valid arguments are 'yes' and 'no'.")
OWN_OPTIONS = line("own", "self", "** Settings that this server adds:")
OWN_OPTION_BOT = line("own", "self", "** bot:        {value}")
OWN_OPTION_CHARSET = line("own", "self", "** charset:    {value}")
OWN_OPTION_EXTRAS = line("own", "self", "** extras:     {value}")
OWN_OPTION_PLAYOUT = line("own", "self", "** playout:    {value}")
OWN_WHOIS_BOT = line("own", "self", "** {name} is a bot.")
OWN_LEGAL = line("own", "actor", "** You have {plays} with {d1} and {d2}:")
OWN_LEGAL_PLAY = line("own", "actor", "**   move {moves}")
OWN_LEGAL_MORE = line("own", "actor", "** and {n} more.")
OWN_GIVEUP_SURE = line("own", "actor", "** Really give up a gammon? Type 'giveup' again.")
OWN_PLAYOUT_ON = line("own", "actor", "** The server plays your turns once no contact is left.")
OWN_PLAYOUT_OFF = line("own", "actor", "** You play your turns of this game yourself.")
OWN_PLAYOUT_OTHER = line("own", "opponent watcher", "** {name} lets the server play on once no contact is left.")
OWN_PLAYED = line("own", "actor", "** The server moves {moves} for you.")
OWN_NO_MOTD = line("own", "self", "There is no message of the day.")
OWN_WAITFOR_NONE = line("own", "self", "You are not waiting for anybody.")
OWN_WAITFOR_LIST = line("own", "self", "You are waiting for: {names}")
OWN_WAITFOR_SET = line("own", "self", "You will be told when {name} logs in.")
OWN_CLOSED_BY_ADMIN = line("own", "self", "** {admin} closes your connection. {reason}")
OWN_ERASE_PASSWORD = line("own", "self", "Your account will be erased for ever. Please give your password: ")
OWN_ERASE_SURE = line("own", "self", "Type 'yes' to erase your account, anything else to keep it: ")
OWN_ERASE_KEPT = line("own", "self", "Your account was not erased.")
OWN_ERASE_PLAYING = line("own", "self", "** You can't erase your account while you are playing.")
OWN_ERASED = line("own", "self", "Your account was erased.")
OWN_RECOVERY_USAGE = line("own", "self", "** usage: recovery <password>")
OWN_RECOVERY_PASSWORD = line("own", "self", "** Sorry. Password not correct.")
OWN_RECOVERY_CODE = line("own", "self", "Your recovery code: {code}")
OWN_RECOVERY_KEEP = line("own", "self", "Write it down now. It works once, in place of any older code.")
OWN_RECOVERY_HOW = line("own", "self", "To use it, type at 'login: ': recover {name} <code> <new password>")
OWN_RECOVER_USAGE = line("own", "self", "** usage: recover <name> <recovery code> <new password>", modes="telnet")
OWN_RECOVER_WRONG = line("own", "self", "** User not known or wrong recovery code.", modes="telnet")
OWN_RECOVERED = line(
    "own", "self", "Your password was changed with your recovery code. Type 'help recovery' about a new code."
)
OWN_MORE = line("own", "self", "-- {n} more lines: Enter goes on, any other line leaves -- ")
OWN_MUTED = line("own", "self", "** An administrator has asked you to be silent.")
OWN_ADMIN = line("own", "self", "** {text}")
OWN_DECLINED = line("own", "inviter", "{name} declines your invitation.")
OWN_YOU_DECLINED = line("own", "invitee", "You decline the invitation of {name}.")
OWN_PANIC = line("own", "self", "Keep calm and roll double sixes.")
OWN_ABOUT_1 = line("own", "self", "This is fibsd {version}, a server for FIBS,")
OWN_ABOUT_2 = line("own", "self", "the protocol of the First Internet Backgammon Server.")
OWN_ABOUT_3 = line("own", "self", "It is run by {operator}.")
OWN_ABOUT_4 = line("own", "self", "It has been up since {date} UTC.")
OWN_ABOUT_5 = line("own", "self", "The program is free software under the MIT licence. Type 'help' for help.")
OWN_FORMULA_1 = line(
    "own", "self", "The rating formula, for a match of length N between players whose ratings differ by D:"
)
OWN_FORMULA_2 = line(
    "own", "self", "  P_upset = 1/(10^(D*sqrt(N)/2000)+1)   chance of the player with the lower rating"
)
OWN_FORMULA_3 = line("own", "self", "  P       = 1-P_upset if the underdog wins, P_upset if the favorite wins")
OWN_FORMULA_4 = line(
    "own", "self", "  K       = max(1, 5-Experience/100)    for each player, Experience counting this match"
)
OWN_FORMULA_5 = line(
    "own", "self", "  change  = 4*K*sqrt(N)*P               added for the winner, subtracted for the loser"
)
OWN_FORMULA_6 = line("own", "self", "Everybody begins with a rating of 1500 and an experience of 0.")
OWN_FORMULA_7 = line("own", "self", "Experience grows by N with each match. Unlimited matches are not rated.")
