"""Sentences: the numbered messages of CLIP sessions and their counterparts in text sessions."""

from fibsd.protocol.messages.template import line

# 2
CLIP_WELCOME = line("2", "self", "1 {name} {time} {host}", modes="clip")

# 2.1
CLIP_OWN_INFO = line(
    "2.1",
    "self",
    "2 {name} {flag} {flag} {flag} {flag} {flag} {flag} {flag} {flag} {exp} {flag} {flag} {flag} {flag} {rating} {flag} {flag} {redoubles} {flag} {flag} {timezone}",
    modes="clip",
)

# 2
CLIP_MOTD_BEGIN = line("2", "self", "3", modes="clip")
CLIP_MOTD_END = line("2", "self", "4", modes="clip")

# 2.2
CLIP_WHO_FREE = line(
    "2.2",
    "self bystander",
    "5 {name} - - {flag} {flag} {rating} {exp} {idle} {time} {host} {client} {email}",
    modes="clip",
)
CLIP_WHO_PLAYING = line(
    "2.2",
    "self bystander",
    "5 {name} {opponent} - {flag} {flag} {rating} {exp} {idle} {time} {host} {client} {email}",
    modes="clip",
)
CLIP_WHO_WATCHING = line(
    "2.2",
    "self bystander",
    "5 {name} - {watched} {flag} {flag} {rating} {exp} {idle} {time} {host} {client} {email}",
    modes="clip",
)
CLIP_WHO_END = line("2.2", "self bystander", "6", modes="clip")

# 2
CLIP_ALERT = line("2", "bystander", "20 {sender} {text}", modes="clip")

# 2.3
TEL_DELIVERED = line("2.3", "actor", "Message delivered: {text}", modes="telnet connect")
TEL_SAVED = line("2.3", "actor", "Message saved: {text}", modes="telnet connect")
TEL_SAYS = line("2.3", "target", "{sender} says: {text}", modes="telnet connect")
TEL_SHOUTS = line("2.3", "bystander", "{sender} shouts: {text}", modes="telnet connect")
TEL_WHISPERS = line("2.3", "watcher", "{sender} whispers: {text}", modes="telnet connect")
TEL_KIBITZES = line("2.3", "opponent watcher", "{sender} kibitzes: {text}", modes="telnet connect")
TEL_YOU_TELL = line("2.3", "actor", "** You tell {name}: {text}", modes="telnet connect")
TEL_YOU_SHOUT = line("2.3", "actor", "You shout: {text}", modes="telnet connect")
TEL_YOU_WHISPER = line("2.3", "actor", "You whisper: {text}", modes="telnet connect")
TEL_YOU_KIBITZ = line("2.3", "actor", "You kibitz: {text}", modes="telnet connect")
TEL_ALERT = line("2.3", "bystander", "{sender} alerts you: {text}", modes="telnet connect")
