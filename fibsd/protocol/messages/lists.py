"""Sentences: lists and information about users."""

from fibsd.protocol.messages.template import line

# 10.1
WHO_HEADER = line("10.1", "self", "No  S  username        rating   exp login  idle from", modes="telnet connect")
WHO_ROW = line(
    "10.1",
    "self",
    "{no:>2} {status:<3} {name:<14} {rating:>7} {exp:>5} {login:>5} {idle:>5} {host}",
    modes="telnet connect",
)
WHO_COUNT = line("10.1", "self", "There are {n} users logged on.")

# 10.2
RAWWHO_ROW = line(
    "10.2",
    "self",
    "who: {no:>2} {status} {name:<14} {rating:>7} {exp:>5} {login:>5} {idle:>5} {host}",
    modes="telnet connect",
)
RAWWHO_END = line("10.2", "self", "who:end", modes="telnet connect")

# 10.3
WHOIS_NAME = line("10.3", "self", "Information about {name}:")
WHOIS_LAST_LOGIN = line("10.3", "self", "  Last login:  {date} from {host}")
WHOIS_NEVER = line("10.3", "self", "  Never logged in.")
WHOIS_STILL_MINUTES = line("10.3", "self", "  Still logged in. {idle} minutes idle.")
WHOIS_STILL_SECONDS = line("10.3", "self", "  Still logged in. {n} seconds idle.")
WHOIS_LAST_LOGOUT = line("10.3", "self", "  Last logout: {date}")
WHOIS_READY = line("10.3", "self", "  {name} is ready to play, not watching, not playing.")
WHOIS_READY_WATCHING = line("10.3", "self", "  {name} is ready to play, watching {watched}, not playing.")
WHOIS_NOT_READY = line("10.3", "self", "  {name} is not ready to play, not watching, not playing.")
WHOIS_NOT_READY_WATCHING = line("10.3", "self", "  {name} is not ready to play, watching {watched}, not playing.")
WHOIS_PLAYING = line("10.3", "self", "  {name} is playing with {opponent}.")
WHOIS_OFFLINE = line("10.3", "self", "  Not logged in right now.")
WHOIS_AWAY = line("10.3", "self", "  {name} is away: {text}")
WHOIS_RATING = line("10.3", "self", "  Rating: {rating} Experience: {exp}")
WHOIS_EMAIL = line("10.3", "self", "  Email address: {email}")
WHOIS_NO_EMAIL = line("10.3", "self", "  No email address.")
WHOIS_ARGUMENT = line("10.3", "self", "** please give a name as an argument.")

# 10.4
RATINGS_HEADER = line("10.4", "self", " rank name            rating    Experience")
RATINGS_ROW = line("10.4", "self", " {rank:>4} {name:<15} {rating}     {exp}")
RATINGS_UNRANKED = line("10.4", "self", "     - {name:<15} {rating}     {exp}")
RATINGS_OWN = line("10.4", "self", "*{rank:>4} {name:<15} {rating}     {exp}")
RATINGS_POSITIVE_FROM = line("10.4", "self", "** Please give a positive number after 'from'.")
RATINGS_POSITIVE_TO = line("10.4", "self", "** Please give a positive number after 'to'.")
RATINGS_RANGE = line("10.4", "self", "** invalid range from {a} to {b}.")
RATINGS_LIMIT = line("10.4", "self", "** range currently limited to 100.")
RATINGS_TWO_NAMES = line("10.4", "self", "** Please use only one of the given names '{player1}' and '{player2}'.")

# 10.5
GAMES_HEADER = line("10.5", "self", "List of games:")
GAMES_ROW = line("10.5", "self", "{player1:<15} - {player2:>15} ({n} point match {a}-{b})")
GAMES_ROW_UNLIMITED = line("10.5", "self", "{player1:<15} - {player2:>15} (unlimited match {a}-{b})")
SAVED_HEADER = line("10.5", "self", "  opponent          matchlength   score (your points first)")
GAMES_SAVED_READY = line("10.5", "self", "**{opponent:<19}    {n:>2}               {a:>2} - {b:>2}")
GAMES_SAVED_READY_UNLIMITED = line("10.5", "self", "**{opponent:<19}unlimited            {a:>2} - {b:>2}")
GAMES_SAVED_ON = line("10.5", "self", " *{opponent:<19}    {n:>2}               {a:>2} - {b:>2}")
GAMES_SAVED_ON_UNLIMITED = line("10.5", "self", " *{opponent:<19}unlimited            {a:>2} - {b:>2}")
GAMES_SAVED_OFF = line("10.5", "self", "  {opponent:<19}    {n:>2}               {a:>2} - {b:>2}")
GAMES_SAVED_OFF_UNLIMITED = line("10.5", "self", "  {opponent:<19}unlimited            {a:>2} - {b:>2}")
SAVED_NONE = line("10.5", "self", "no saved games.")
SAVEDCOUNT_NONE = line("10.5", "self", "{name} has no saved games.")
SAVEDCOUNT = line("10.5", "self", "{name} has {games}.")
WATCHERS_HEADER = line("10.5", "self", "Watching players:")
WATCHERS_ROW = line("10.5", "self", "{watcher} is watching {watched}.")
WATCHERS_NONE = line("10.5", "self", "Watching players: none.")
SHOW_MAX = line("10.5", "self", "max_logins is {n} (maximum: {max})")

# 10.6
LAST_ROW = line("10.6", "self", "{name} logged in from {host}")

# 10.7
TIME = line("10.7", "self", "{local}  ( {date} UTC )")

# 10.8
AVERAGE_HEADER = line("10.8", "self", "Time (UTC)  average min max")
AVERAGE_ROW = line("10.8", "self", "{start}-{end} {a} {b} {n}")
DICETEST_N = line("10.8", "self", "n: {n}")
DICETEST_S = line("10.8", "self", "S: {text}")
DICETEST_T = line("10.8", "self", "T: {text}")
DICETEST_DOUBLE = line("10.8", "self", "{d1}-1 {n}")
DICETEST_DIE = line("10.8", "self", "{d1}: {n}")
STAT_BYTES = line("10.8", "self", "{n} bytes {text}")
STAT_ACCOUNTS = line("10.8", "self", "{n} accounts {text}")
STAT_RATINGS = line("10.8", "self", "{n} ratings saved. reset log{text}")
STAT_USERS = line("10.8", "self", "{n} registered users.")
STAT_GAMES = line("10.8", "self", "{n}({m}) saved games check by cron{text}")
