"""Sentences: talking."""

from fibsd.protocol.messages.template import line

# 8.5
CLIP_MESSAGE = line("8.5", "target", "9 {sender} {time} {text}", modes="clip")
CLIP_DELIVERED = line("8.5", "actor", "10 {name}", modes="clip")
CLIP_SAVED = line("8.5", "actor", "11 {name}", modes="clip")

# 8.2
CLIP_SAYS = line("8.2", "target", "12 {sender} {text}", modes="clip")

# 8.1
CLIP_SHOUTS = line("8.1", "bystander", "13 {sender} {text}", modes="clip")

# 8.4
CLIP_WHISPERS = line("8.4", "watcher", "14 {sender} {text}", modes="clip")

# 8.3
CLIP_KIBITZES = line("8.3", "opponent watcher", "15 {sender} {text}", modes="clip")

# 8.2
CLIP_YOU_SAY = line("8.2", "actor", "16 {name} {text}", modes="clip")

# 8.1
CLIP_YOU_SHOUT = line("8.1", "actor", "17 {text}", modes="clip")

# 8.4
CLIP_YOU_WHISPER = line("8.4", "actor", "18 {text}", modes="clip")

# 8.3
CLIP_YOU_KIBITZ = line("8.3", "actor", "19 {text}", modes="clip")

# 8.5
TEL_MESSAGE = line("8.5", "target", "Message from {sender}: {text}", modes="telnet connect")

# 8.1
SHOUT_SILENT = line("8.1", "actor", "** Please type 'toggle silent' again before you shout.")
SHOUT_DISABLED = line("8.1", "actor", "** shouting has been disabled for you")
SAY_NOTHING = line("8.1", "actor", "** You can't say nothing.")

# 8.2
SAY_YOURSELF = line("8.2", "actor", "You say to yourself: {text}")
TELL_WHOM = line("8.2", "actor", "** Tell whom?")
TELL_WHAT = line("8.2", "actor", "** Tell {name} what?")
WONT_LISTEN = line("8.2", "actor", "** {name} won't listen to you.")
CANT_TALK = line("8.2", "actor", "** You can't talk if you won't listen.")
SAY_OUTSIDE = line("8.2", "actor", "** 'say' can't be used outside a game.")

# 8.3
HEARD_YOU = line("8.3", "actor", "** {users} heard you.")
NOT_WATCHING_OR_PLAYING = line("8.3", "actor", "** You're not watching or playing.")

# 8.5
MESSAGE_USAGE = line("8.5", "actor", "** usage: message <user> <text>")

# 8.6
GAG_ON = line("8.6", "self", "** You gag {name}.")
GAG_OFF = line("8.6", "self", "** You ungag {name}.")
BLIND_ON = line("8.6", "self", "** You blind {name}.")
BLIND_OFF = line("8.6", "self", "** You unblind {name}.")
BANS_WATCHING = line("8.6", "watcher", "{name} bans you from watching.")
GAG_SELF = line("8.6", "self", "** You talk too much, don't you?")
BLIND_SELF = line("8.6", "self", "** You can't read this message now, can you?")
GAG_LIST_NONE = line("8.6", "self", "** Gagged users: none")
GAG_LIST = line("8.6", "self", "** Gagged users: {names}")
BLIND_LIST_NONE = line("8.6", "self", "** Blinded users: none")
BLIND_LIST = line("8.6", "self", "** Blinded users: {names}")

# 8.7
AWAY_ON = line("8.7", "self", "You're away. Please type 'back'")
AWAY_NONE = line("8.7", "self", "None of the users is away.")
AWAY_LIST_HEADER = line("8.7", "self", "The following users are away:")
AWAY_LIST_ROW = line("8.7", "self", "{name}: {text}")
BACK = line("8.7", "self", "Welcome back.")
NOT_AWAY = line("8.7", "self", "** You're not away.")
