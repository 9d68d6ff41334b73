"""Sentences: what others do: reports, watching, shutdown."""

from fibsd.protocol.messages.template import line

# 9.1
CLIP_LOGIN = line("9.1", "bystander", "7 {name} {name} logs in.", modes="clip")
TEL_LOGIN = line("9.1", "bystander", "{name} logs in.", modes="telnet connect")
CLIP_LOGIN_AGAIN = line("9.1", "bystander", "7 {name} {name} logs in again.", modes="clip")
TEL_LOGIN_AGAIN = line("9.1", "bystander", "{name} logs in again.", modes="telnet connect")
CLIP_REGISTERED = line("9.1", "bystander", "7 {name} {name} just registered and logs in.", modes="clip")
TEL_REGISTERED = line("9.1", "bystander", "{name} just registered and logs in.", modes="telnet connect")
CLIP_LEAVE_OUT = line("9.1", "bystander", "8 {name} {name} logs out.", modes="clip")
TEL_LEAVE_OUT = line("9.1", "bystander", "{name} logs out.", modes="telnet connect")
CLIP_LEAVE_DROPS = line("9.1", "bystander", "8 {name} {name} drops connection.", modes="clip")
TEL_LEAVE_DROPS = line("9.1", "bystander", "{name} drops connection.", modes="telnet connect")
CLIP_LEAVE_TIMEOUT = line("9.1", "bystander", "8 {name} Connection with {name} timed out.", modes="clip")
TEL_LEAVE_TIMEOUT = line("9.1", "bystander", "Connection with {name} timed out.", modes="telnet connect")
CLIP_LEAVE_NETERR = line("9.1", "bystander", "8 {name} Network error with {name}.", modes="clip")
TEL_LEAVE_NETERR = line("9.1", "bystander", "Network error with {name}.", modes="telnet connect")
CLIP_LEAVE_CLOSED = line("9.1", "bystander", "8 {name} Closed old connection with user {name}.", modes="clip")
TEL_LEAVE_CLOSED = line("9.1", "bystander", "Closed old connection with user {name}.", modes="telnet connect")
CLIP_LEAVE_ADMIN = line("9.1", "bystander", "8 {name} {admin} closes connection with {name}.", modes="clip")
TEL_LEAVE_ADMIN = line("9.1", "bystander", "{admin} closes connection with {name}.", modes="telnet connect")

# 9.2
REPORT_START = line("9.2", "watcher bystander", "{player1} and {player2} start a {n} point match.")
REPORT_START_UNLIMITED = line("9.2", "watcher bystander", "{player1} and {player2} start an unlimited match.")
REPORT_RESUME = line("9.2", "watcher bystander", "{player1} and {player2} are resuming their {n}-point match.")
REPORT_RESUME_UNLIMITED = line(
    "9.2", "watcher bystander", "{player1} and {player2} are resuming their unlimited match."
)

# 9.3
WAVE = line("9.3", "actor", "You wave goodbye.")
WAVES = line("9.3", "bystander", "{name} waves goodbye.")
WAVE_AGAIN = line("9.3", "actor", "You wave goodbye again and log out.")
WAVES_AGAIN = line("9.3", "bystander", "{name} waves goodbye again.")

# 9.5
NOW_WATCHING = line("9.5", "watcher", "You're now watching {watched}.")
NOT_INTERESTING = line("9.5", "watcher", "{watched} is not doing anything interesting.")
IS_WATCHING_YOU = line("9.5", "watched", "{watcher} is watching you.")
STARTS_WATCHING = line("9.5", "opponent", "{watcher} starts watching {watched}.")
STOP_WATCHING = line("9.5", "watcher", "You stop watching {watched}.")
WATCH_WHO = line("9.5", "self", "** Watch who?")
WATCH_SELF = line("9.5", "self", "** Use a mirror to do that.")
WATCH_PLAYING = line("9.5", "self", "** You can't watch another game while you're playing.")
WATCH_BLINDED = line("9.5", "self", "** {name} doesn't want you to watch.")
STOPS_WATCHING_YOU = line("9.5", "watched", "{watcher} stops watching you.")
STOPS_WATCHING = line("9.5", "opponent", "{watcher} stops watching {watched}.")
NOT_WATCHING = line("9.5", "self", "** You're not watching.")

# 9.6
ATTENTION = line("9.6", "bystander", "\x07*** ATTENTION ! {text}", modes="telnet connect")
ATTENTION_CLIP = line("9.6", "bystander", "*** ATTENTION ! {text}", modes="clip")
SHUTDOWN_1 = line("9.6", "bystander", "** System administrator causes shutdown. FIBS is terminating.")
SHUTDOWN_2 = line("9.6", "bystander", "** All running games will be saved.")
SHUTDOWN_3 = line("9.6", "bystander", "** It will be back when the computer is rebooted.")
