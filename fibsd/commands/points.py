"""Commands about play points."""

from fibsd.commands.call import Call
from fibsd.protocol.messages import points
from fibsd.world.audience import Result
from fibsd.world.errors import Refusal, Refused
from fibsd.world.stakes import aside
from fibsd.world.world import World


def show_points(call: Call, world: World) -> Result:
    """Show how many points the user can stake, and what he has set aside."""
    if not world.house.play_points:
        raise Refused(Refusal.TERM_STAKE_OFF)
    me = world.users[call.user]
    rows = [points.POINTS_HAVE(points=me.points or 0)]
    rows += [
        points.POINTS_ASIDE(name=table.opponent_of(me.name), points=table.terms.added.stake)
        for table in aside(world, me.name)
    ]
    return call.reply(*rows)
