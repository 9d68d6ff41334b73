"""Commands that help a player: giveup, playout, and the list of legal plays."""

from fibsd.backgammon.game import Phase
from fibsd.commands.call import Call
from fibsd.protocol.messages import own
from fibsd.protocol.messages.template import plural
from fibsd.protocol.moves import format_play
from fibsd.world import helps
from fibsd.world.audience import Result
from fibsd.world.errors import Refusal, Refused
from fibsd.world.events import Text
from fibsd.world.world import World

PLAYS_SHOWN = 100


def giveup(call: Call, world: World) -> Result:
    """Offer to lose what the position asks for."""
    me = world.users[call.user]
    out = call.result()
    if not helps.give_up(world, world.table_of(me), me, out):
        out.tell(call.me, Text((own.OWN_GIVEUP_SURE(),)))
    return out


def playout(call: Call, world: World) -> Result:
    """Have the own turns of this game played by the server once no contact is left, or not any more."""
    me = world.users[call.user]
    table = world.table_of(me)
    out = call.result()
    if helps.turn_playout(world, table, me, out):
        helps.play_on_now(world, me, out)
    else:
        out.tell(call.me, Text((own.OWN_PLAYOUT_OFF(),)))
    return out


def show_legal(call: Call, world: World) -> Result:
    """List the plays that the caller's roll allows."""
    me = world.users[call.user]
    table = world.table_of(me)
    game, side = table.match.game, table.side_of(me.name)
    if game.phase is Phase.ROLL and game.turn is side:
        raise Refused(Refusal.MOVE_BEFORE_ROLL)
    if game.dice is None or game.turn is not side:
        raise Refused(Refusal.MOVE_NOT_TURN)
    plays = game.rules.variant.rules.legal_plays(game.board.seen_by(side), game.dice)
    lines = [own.OWN_LEGAL(plays=plural(len(plays), "legal play"), d1=game.dice.first, d2=game.dice.second)]
    lines += [own.OWN_LEGAL_PLAY(moves=format_play(play, side)) for play in plays[:PLAYS_SHOWN]]
    if len(plays) > PLAYS_SHOWN:
        lines.append(own.OWN_LEGAL_MORE(n=len(plays) - PLAYS_SHOWN))
    out = call.result()
    out.tell(call.me, Text(tuple(lines)), shows=(table.id,))
    return out
