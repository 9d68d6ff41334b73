"""Sentences: connecting, logging in and out, registering."""

from fibsd.protocol.messages.template import line

# 1.1
BANNER_WELCOME = line("1.1", "self", "WELCOME TO THE")
BANNER_ART = line("1.1", "self", "{drawing}")
BANNER_MAIL = line("1.1", "self", "         If something unexpected happens please send mail to:")
BANNER_ADDRESS = line("1.1", "self", "                 {email} ({text})")
BANNER_BUGS = line("1.1", "self", "                      Bug reports are welcome.")
BANNER_RULES = line("1.1", "self", "       {text}")
BANNER_GUEST = line("1.1", "self", "              LOGIN AS guest IF YOU ARE NEW TO THIS SERVER! ")
BANNER_ONE_ACCOUNT = line("1.1", "self", "\t\t     One account per person only!")
BANNER_DATE = line("1.1", "self", "{local}   ( {date} UTC )")
LOGIN_PROMPT = line("1.1", "self", "login: ")

# 1.4
LOGIN_WRONG = line("1.4", "self", "** User not known or wrong password.")
LOGIN_DENIED = line("1.4", "self", "** access denied!")
TIMED_OUT = line("1.4", "self", "Connection timed out.")

# 1.5
PASSWORD_PROMPT = line("1.5", "self", "password: ", modes="telnet")
AUTHENTICATED = line("1.5", "self", "** User {name} authenticated.", modes="telnet connect")
LAST_LOGIN = line("1.5", "self", "** Last login: {date}  from {host}", modes="telnet connect")
MESSAGES_FOR_YOU = line("1.5", "self", "There are messages for you:", modes="telnet connect")

# 1.6
GUEST_PROMPT = line("1.6", "self", "> ", modes="telnet")
REG_NAME = line("1.6", "self", "Your name will be {name}", modes="telnet")
REG_TYPE_NO = line(
    "1.6", "self", "Type in no password and hit Enter/Return if you want to change it now.", modes="telnet"
)
REG_PASSWORD = line("1.6", "self", "Please give your password: ", modes="telnet")
REG_RETYPE = line("1.6", "self", "Please retype your password: ", modes="telnet")
REG_DONE = line("1.6", "self", "You are registered.", modes="telnet")
REG_BEGINNER = line("1.6", "self", "Type 'help beginner' to get started.", modes="telnet")
REG_BAD_NAME = line(
    "1.6", "self", "** Your name may only contain letters and the underscore character _ .", modes="telnet"
)
REG_LONG_NAME = line("1.6", "self", "** Please use a name with at most 20 characters.", modes="telnet")
REG_NAME_USED = line(
    "1.6", "self", "** Please use another name. '{name}' is already used by someone else.", modes="telnet"
)
REG_SITE_BANNED = line("1.6", "self", "Your site is not allowed to create new accounts.", modes="telnet")
REG_NO_PASSWORD = line("1.6", "self", "** No password given. Please choose a new name", modes="telnet")
REG_SHORT_PASSWORD = line("1.6", "self", "Minimal password length is 4 characters.", modes="telnet")
REG_COLON = line("1.6", "self", "Your password may not contain ':'", modes="telnet")
REG_DIFFER = line(
    "1.6", "self", "** The two passwords were not identical. Please give them again. Password: ", modes="telnet"
)

# 1.7
ALREADY_LOGGED_IN = line("1.7", "self", "** Warning: You are already logged in.")

# 1.8
GOODBYE = line("1.8", "self", "                             Goodbye.")
GOODBYE_TEXT = line("1.8", "self", "                      Come back soon!")

# 1.3
MOTD_BORDER = line("1.3", "self", "+--------------------------------------------------------------------+")
MOTD_TEXT = line("1.3", "self", "{text}")
MOTD_BORDER_END = line("1.3", "self", "+--------------------------------------------------------------------+")
