"""The table of all commands."""

from collections.abc import Mapping

from fibsd.commands import account, chat, helps, info, invite, play, ratings, seek, settings, show, watch, who
from fibsd.commands.admin import table
from fibsd.commands.call import Handler, Prepare
from fibsd.protocol.words import unique_prefix
from fibsd.values import frozen
from fibsd.world.lobby import Question


@frozen
class Command:
    """One command.

    Attributes:
        name: The full word.
        handler: What it does; synchronous and whole.
        prepare: What it must look up first, with waiting; its answer is `Call.facts`.
        in_full: Recognised only when typed in full: commands of ours, which must not take a prefix away from
            FIBS's own, and `tellx`, which would make `tel` ambiguous.
        repeatable: Whether `!!` repeats it.
    """

    name: str
    handler: Handler
    prepare: Prepare | None = None
    in_full: bool = False
    repeatable: bool = True


_TABLE = (
    Command("about", info.about),
    Command("accept", play.accept),
    Command("address", settings.address),
    Command("admin", table.admin, table.find_act, in_full=True, repeatable=False),
    Command("adios", account.bye),
    Command("average", info.average),
    Command("away", chat.away),
    Command("back", chat.back),
    Command("beaver", play.beaver),
    Command("blind", chat.blind, chat.find_banned),
    Command("board", play.board),
    Command("bye", account.bye),
    Command("ciao", account.bye),
    Command("clear", info.clear),
    Command("cls", info.clear),
    Command("countries", info.countries),
    Command("date", info.show_time),
    Command("dicetest", info.dicetest, info.find_rolls),
    Command("double", play.double),
    Command("end", account.bye),
    Command("erase", account.erase, repeatable=False),
    Command("exit", account.bye),
    Command("formula", info.formula),
    Command("gag", chat.gag, chat.find_banned),
    Command("giveup", helps.giveup, in_full=True),
    Command("help", info.help_page),
    Command("invite", invite.invite),
    Command("join", invite.join),
    Command("kibitz", chat.kibitz, repeatable=False),
    Command("last", who.last, who.find_account),
    Command("leave", invite.leave),
    Command("logout", account.bye),
    Command("look", watch.look),
    Command("man", info.help_page),
    Command("message", chat.message, chat.find_mailbox),
    Command("motd", info.motd),
    Command("move", play.move),
    Command("name", account.name),
    Command("off", play.bear_off),
    Command("oldboard", play.oldboard, play.find_last_match),
    Command("oldmoves", play.oldmoves, play.find_last_match),
    Command("otter", play.otter),
    Command("panic", info.panic),
    Command("password", account.password, account.hash_new_password, repeatable=False),
    Command("pip", play.pip),
    Command("playout", helps.playout, in_full=True),
    Command("quit", account.bye),
    Command("raccoon", play.raccoon),
    Command("ratings", ratings.ratings, ratings.find_ratings),
    Command("rawboard", play.rawboard),
    Command("rawwho", who.rawwho),
    Command("recovery", account.recovery, account.make_code, in_full=True, repeatable=False),
    Command("redouble", play.redouble),
    Command("reject", play.reject),
    Command("rematch", seek.rematch, in_full=True),
    Command("resign", play.resign),
    Command("roll", play.roll),
    Command("save", settings.save),
    Command("say", chat.say, repeatable=False),
    Command("seek", seek.seek, in_full=True),
    Command("seeks", seek.seeks, in_full=True),
    Command("set", settings.set_variable),
    Command("shout", chat.shout, repeatable=False),
    Command("show", show.show, show.find_saved_count),
    Command("shutdown", table.admin, table.find_act, repeatable=False),
    Command("stat", info.stat, info.find_counts),
    Command("tell", chat.tell, repeatable=False),
    Command("tellx", chat.tellx, in_full=True, repeatable=False),
    Command("time", info.show_time),
    Command("toggle", settings.toggle),
    Command("tschoe", account.bye),
    Command("unseek", seek.unseek, in_full=True),
    Command("unwatch", watch.unwatch),
    Command("version", info.version),
    Command("void", invite.void, in_full=True),
    Command("waitfor", account.waitfor, account.find_awaited),
    Command("watch", watch.watch),
    Command("wave", account.wave),
    Command("where", who.where, who.find_account),
    Command("whisper", chat.whisper, repeatable=False),
    Command("who", who.who),
    Command("whois", who.whois, who.find_account),
)

COMMANDS: Mapping[str, Command] = {command.name: command for command in _TABLE}

SHORT_FORMS: Mapping[str, str] = {
    "b": "board",
    "i": "invite",
    "k": "kibitz",
    "m": "move",
    "r": "roll",
    "s": "say",
    "t": "tell",
    "w": "who",
    "wh": "whisper",
}
"""Short forms that are no unique prefixes (FIBS help: commands)."""

ANSWERS: Mapping[Question, Command] = {
    Question.ERASE_PASSWORD: Command("erase", account.erase_password, account.verify_password, repeatable=False),
    Question.ERASE_SURE: Command("erase", account.erase_sure, repeatable=False),
}
"""What a user's next line does when he was asked something."""


def find_command(word: str) -> Command | None:
    """The command that a word means: in full, in short form, or as a unique prefix; None if it means none."""
    lower = word.lower()
    exact = COMMANDS.get(SHORT_FORMS.get(lower, lower))
    if exact is not None:
        return exact
    name = unique_prefix(lower, _PREFIXABLE)
    return None if name is None else COMMANDS[name]


_PREFIXABLE = sorted({command.name for command in _TABLE if not command.in_full})
