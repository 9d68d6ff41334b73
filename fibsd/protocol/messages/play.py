"""Sentences: invitations, games, the cube, resignations, saved matches."""

from fibsd.protocol.messages.template import line

# 6.1
INVITED = line("6.1", "inviter", "** You invited {name} to a {n} point match.")
INVITED_UNLIMITED = line("6.1", "inviter", "** You invited {name} to an unlimited match.")
INVITED_RESUME = line("6.1", "inviter", "** You invited {name} to resume a saved match.")
WANTS_TO_PLAY = line("6.1", "invitee", "{inviter} wants to play a {n} point match with you.")
WANTS_TO_PLAY_UNLIMITED = line("6.1", "invitee", "{inviter} wants to play an unlimited match with you.")
WANTS_TO_RESUME = line("6.1", "invitee", "{inviter} wants to resume a saved match with you.")
TYPE_JOIN = line("6.1", "invitee", "Type 'join {inviter}' to accept.")
WARNING_SAVED_INVITEE = line(
    "6.1", "invitee", "WARNING: Don't accept if you want to continue the saved {n} point match!"
)
WARNING_SAVED_UNLIMITED_INVITEE = line(
    "6.1", "invitee", "WARNING: Don't accept if you want to continue the saved unlimited match!"
)
WARNING_SAVED_INVITER = line(
    "6.1", "inviter", "** WARNING: Don't accept if you want to continue the saved {n} point match!"
)
WARNING_SAVED_UNLIMITED_INVITER = line(
    "6.1", "inviter", "** WARNING: Don't accept if you want to continue the saved unlimited match!"
)
IS_AWAY = line("6.1", "inviter actor", "{name} is away: {text}")
INVITE_WHO = line("6.1", "inviter", "** invite who?")
INVITE_SELF = line("6.1", "inviter", "** You can't invite yourself.")
ALREADY_PLAYING = line("6.1", "inviter", "** You are already playing.")
REFUSING_GAMES = line("6.1", "inviter joiner", "** {name} is refusing games.")
ALREADY_PLAYING_OTHER = line("6.1", "inviter", "** {name} is already playing with someone else.")
INVITE_SECOND = line("6.1", "inviter", "** The second argument to 'invite' has to be a number or the word 'unlimited'")
INVITE_LENGTH = line("6.1", "inviter", "** You can't play a {n} point match.")
INVITE_EXPERIENCE = line("6.1", "inviter", "** You're not experienced enough to play a match of that length.")
NO_SAVED_MATCH = line("6.1", "inviter", "** There's no saved match with {name}. Please give a match length.")
NO_NEW_GAMES = line("6.1", "inviter", "** You are not allowed to create new games.")

# 6.2
JOIN_WHO = line("6.2", "joiner", "** Error: Join who?")
DIDNT_INVITE = line("6.2", "joiner", "** {name} didn't invite you.")
JOIN_PLAYING_OTHER = line("6.2", "joiner", "** Error: {name} is already playing with someone else.")
TWO_GAMES = line("6.2", "joiner", "** You can't play two games at once")
SAVED_CORRUPT = line("6.2", "joiner", "** ERROR: Saved match is corrupt. Please start another one.")
JOINED_YOU = line("6.2", "inviter", "** Player {opponent} has joined you for a {n} point match.")
JOINED_YOU_UNLIMITED = line("6.2", "inviter", "Player {opponent} has joined you for an unlimited match.")
NOW_PLAYING = line("6.2", "joiner", "** You are now playing a {n} point match with {opponent}")
NOW_PLAYING_UNLIMITED = line("6.2", "joiner", "** You are now playing an unlimited match with {opponent}")
STARTING_GAME = line("6.2", "inviter joiner watcher", "Starting a new game with {opponent}.")

# 6.3
OPENING_ROLLED = line("6.3", "actor opponent", "You rolled {d3}, {opponent} rolled {d4}")
OPENING_ROLLED_WATCHED = line("6.3", "watcher", "{x_player} rolled {d3}, {o_player} rolled {d4}")
OPENING_CUBE = line("6.3", "actor opponent watcher", "The number on the doubling cube is now {cube}")
OPENING_YOUR_TURN = line("6.3", "actor", "It's your turn to move.")
OPENING_FIRST_MOVE = line("6.3", "opponent watcher", "{name} makes the first move.")

# 6.4
PLEASE_ROLL_OR_DOUBLE = line("6.4", "actor", "It's your turn. Please roll or double")
TURN_ROLL_OR_DOUBLE = line("6.4", "actor", "It's your turn to roll or double.")
YOU_ROLL = line("6.4", "actor", "You roll {d1} and {d2}.")
ROLLS = line("6.4", "opponent watcher", "{name} rolls {d1} and {d2}.")
PLEASE_MOVE = line("6.4", "actor", "Please move {pieces}.")
YOU_CANT_MOVE = line("6.4", "actor", "You can't move.")
CANT_MOVE = line("6.4", "opponent watcher", "{name} can't move.")
ONLY_MOVE = line("6.4", "actor", "The only possible move is {moves} .")
MOVES = line("6.4", "opponent watcher", "{name} moves {moves} .")
DONE = line("6.4", "actor", "Done.")
ROLL_NOT_TURN = line("6.4", "actor", "** It's not your turn to roll the dice.")
ROLL_ALREADY = line("6.4", "actor", "** You did already roll the dice.")
DOUBLE_UNANSWERED = line("6.4", "actor", "** {opponent} hasn't responded to your double yet.")
RESIGN_UNANSWERED = line("6.4", "actor", "** Wait until {opponent} accepted or rejected your resign.")
WANTED_TO_RESIGN = line("6.4", "actor", "** {opponent} wanted to resign. Type 'accept' or 'reject'.")
MOVE_NOT_TURN = line("6.4", "actor", "** It's not your turn to move.")
MOVE_BEFORE_ROLL = line("6.4", "actor", "** You have to roll the dice before moving.")
MOVE_WORDS = line("6.4", "actor", "** {nth} move: legal words are 'bar', 'home', 'off', 'b', 'h' and 'o'.")
MOVE_TOO_MANY = line("6.4", "actor", "** Please don't give more than {n} moves.")
MOVE_TOO_FEW = line("6.4", "actor", "** You must give {n} moves.")
MOVE_HOME = line("6.4", "actor", "** You can't move home in your {nth} move.")
MOVE_BAR_FIRST = line("6.4", "actor", "** You have to remove pieces from the bar in your {nth} move.")
MOVE_BLOCKED = line("6.4", "actor", "** You can't move to {point} in your {nth} move.")
MOVE_FROM = line("6.4", "actor", "** You can't move from {point} in your {nth} move.")
MOVE_DISTANCE = line("6.4", "actor", "** You can't move {k} points in your {nth} move.")
MOVE_BEAROFF = line("6.4", "actor", "** You can't remove this piece in your {nth} move.")

# 6.5
BEARING_OFF = line("6.5", "actor", "Bearing off: {moves}")

# 6.6
YOU_DOUBLE = line("6.6", "actor", "You double. Please wait for {opponent} to accept or reject.")
DOUBLES_ACCEPT = line("6.6", "opponent", "{name} doubles. Type 'accept' or 'reject'.")
DOUBLES = line("6.6", "watcher", "{name} doubles.")
ACCEPTS_CUBE = line("6.6", "opponent", "{name} accepts the double. The cube shows {cube}.")
YOU_ACCEPT_CUBE = line("6.6", "actor", "You accept the double. The cube shows {cube}.")
ACCEPTS_DOUBLE = line("6.6", "watcher", "{name} accepts the double.")
GIVES_UP_YOU_WIN = line("6.6", "opponent", "{name} gives up. You win {points}.")
YOU_GIVE_UP = line("6.6", "actor", "You give up. {winner} wins {points}.")
GIVES_UP = line("6.6", "watcher", "{loser} gives up. {winner} wins {points}.")
WAIT_UNTIL_MOVED = line("6.6", "actor", "** Please wait until {opponent} has moved.")
DOUBLE_BEFORE_ROLL = line("6.6", "actor", "** You can only double before you roll the dice.")
DOUBLE_NOT_TURN = line("6.6", "actor", "** It's not your turn to double.")
DOUBLE_RESIGNING = line("6.6", "actor", "** You can't double now. You want to resign.")
DOUBLE_FIRST_MOVE = line("6.6", "actor", "** You cannot double in the first move.")
REDOUBLES = line("6.6", "opponent", "{name} redoubles. Type 'accept' or 'reject'.")
REDOUBLE_REFUSED = line("6.6", "actor", "** You are not allowed to redouble.")

# 6.7
YOU_RESIGN = line("6.7", "actor", "You want to resign. {opponent} will win {points}.")
RESIGNS_ACCEPT = line("6.7", "opponent", "{name} wants to resign. You will win {points}. Type 'accept' or 'reject'.")
RESIGNS = line("6.7", "watcher", "{name} wants to resign. {opponent} will win {points}.")
RESIGN_ACCEPTED = line("6.7", "opponent watcher", "{name} accepts and wins {points}.")
YOU_ACCEPT_RESIGN = line("6.7", "actor", "You accept and win {points}.")
RESIGN_REJECTED = line("6.7", "opponent watcher", "{name} rejects. The game continues.")
YOU_REJECT_RESIGN = line("6.7", "actor", "You reject. The game continues.")

# 6.8
YOU_WIN_GAME = line("6.8", "winner", "You win the game and get {points}. Congratulations!")
WINS_GAME_SORRY = line("6.8", "loser", "{winner} wins the game and gets {points}. Sorry.")
WINS_GAME = line("6.8", "watcher", "{winner} wins the game and gets {points}.")
SCORE = line("6.8", "actor opponent watcher", "score in {n} point match: {player1}-{a} {player2}-{b}")
SCORE_UNLIMITED = line("6.8", "actor opponent watcher", "score in unlimited match: {player1}-{a} {player2}-{b}")
JOIN_NEXT = line("6.8", "actor opponent", "Type 'join' if you want to play the next game, type 'leave' if you don't.")
YOU_WIN_MATCH = line("6.8", "winner", "You win the {n} point match {a}-{b} .")
WINS_MATCH = line("6.8", "loser watcher", "{winner} wins the {n} point match {a}-{b} .")
REPORT_WINS = line("6.8", "bystander", "{winner} wins a {n} point match against {loser}  {a}-{b} .")

# 6.9
WAIT_JOIN = line("6.9", "actor", "** Please wait for {opponent} to join too.")

# 6.10
OM_SCORE = line("6.10", "actor opponent", "Score is {a}-{b} in a {n} point match.")
OM_SCORE_UNLIMITED = line("6.10", "actor opponent", "Score is {a}-{b} in an unlimited match.")
OM_COLOURS = line("6.10", "actor opponent", "{x_player} is X - {o_player} is O")
OM_ROLL = line("6.10", "actor opponent", "{side}: ({d1} {d2}) {moves}")
OM_CANT = line("6.10", "actor opponent", "{side}: ({d1} {d2}) can't move")
OM_DOUBLES = line("6.10", "actor opponent", "{side}: doubles")
OM_ACCEPTS = line("6.10", "actor opponent", "{side}: accepts")
OM_REJECTS = line("6.10", "actor opponent", "{side}: rejects")
OM_RESIGN = line("6.10", "actor opponent", "{side}: wants to resign")
OM_WINS = line("6.10", "actor opponent", "{side}: wins")

# 6.11
PIP = line("6.11", "actor watcher", "Pipcounts: {player1} {a}   {player2} {b}")
PIP_TOGGLE = line("6.11", "actor", "** Type 'toggle allowpip' first.")
PIP_OPPONENT = line("6.11", "actor", "** {opponent} doesn't allow this. Ask {opponent} to 'toggle allowpip'")
PIP_WATCHED = line("6.11", "watcher", "** The players don't allow pipcounts.")

# 6.12
RATING_HEADER = line("6.12", "actor opponent", "rating calculation:")
RATING_DIFFERENCE = line("6.12", "actor opponent", "rating difference D={value}")
RATING_LENGTH = line("6.12", "actor opponent", "match length      N={n}")
RATING_EXPERIENCE = line("6.12", "actor opponent", "Experience: {player1} {a} - {player2} {b}")
RATING_PU = line("6.12", "actor opponent", "Probability that underdog wins: Pu=1/(10^(D*sqrt(N)/2000)+1)={value}")
RATING_P = line("6.12", "actor opponent", "P={value} is 1-Pu if underdog wins and Pu if favorite wins")
RATING_K1 = line("6.12", "actor opponent", "K=max(1 ,\t\t-Experience/100+5) for {winner}: {value}")
RATING_CHANGE_WINNER = line("6.12", "actor opponent", "change for {winner}: 4*K*sqrt(N)*P={value}")
RATING_K2 = line("6.12", "actor opponent", "K=max(1 ,\t\t-Experience/100+5) for {loser}: {value}")
RATING_CHANGE_LOSER = line("6.12", "actor opponent", "change for {loser}: -4*K*sqrt(N)*P={value}")

# 7
OPPONENT_LEFT = line("7", "opponent", "** Player {name} has left the game. The game was saved.")
REPORT_LEFT = line("7", "watcher bystander", "{name} has left the game with {opponent}.")
SAVED_OUT = line("7", "opponent", "{name} logs out. The game was saved.")
UNWATCH_OUT = line("7", "watcher", "{name} logs out. You're not watching anymore.")
SAVED_DROPS = line("7", "opponent", "{name} drops connection. The game was saved.")
UNWATCH_DROPS = line("7", "watcher", "{name} drops connection. You're not watching anymore.")
SAVED_TIMEOUT = line("7", "opponent", "Connection with {name} timed out. The game was saved.")
UNWATCH_TIMEOUT = line("7", "watcher", "Connection with {name} timed out. You're not watching anymore.")
SAVED_NETERR = line("7", "opponent", "Network error with {name}. The game was saved.")
UNWATCH_NETERR = line("7", "watcher", "Network error with {name}. You're not watching anymore.")
SAVED_CLOSED = line("7", "opponent", "Closed old connection with user {name}. The game was saved.")
UNWATCH_CLOSED = line("7", "watcher", "Closed old connection with user {name}. You're not watching anymore.")
SAVED_ADMIN = line("7", "opponent", "{admin} closes connection with {name}. The game was saved.")
UNWATCH_ADMIN = line("7", "watcher", "{admin} closes connection with {name}. You're not watching anymore.")
YOUR_GAME_SAVED = line("7", "actor", "Your game with {opponent} was saved.")
RESUME_INVITER = line("7", "inviter", "{opponent} has joined you. Your running match was loaded.")
RESUME_JOINER = line("7", "joiner", "You are now playing with {opponent}. Your running match was loaded.")
RESUME_TURN = line("7", "inviter joiner", "turn: {name}.")
RESUME_LENGTH = line("7", "inviter joiner", "match length: {n}")
RESUME_UNLIMITED = line("7", "inviter joiner", "unlimited match")
RESUME_POINTS_1 = line("7", "inviter joiner", "points for {player1}: {a}")
RESUME_POINTS_2 = line("7", "inviter joiner", "points for {player2}: {b}")
