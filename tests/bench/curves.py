"""How the cost of a turn and of a login grows with the number of matches and users."""

from __future__ import annotations

import time

from tests.bench.bench import Bench
from tests.bench.crowd import crowd
from tests.bench.room import CROWD_LOGIN_S, NEWS_S, login_s, lone_login_s

MATCHES = (10, 100, 1_000)
USERS = (10, 100, 1_000, 5_000)
TURNS_TITLE = "us of CPU for a turn, by matches"
LOGINS_TITLE = "ms of CPU for a login, its user list included, by users on-line"
NEWS_TITLE = "us of CPU to tell each user of a login, by users on-line"


def curves(bench: Bench) -> dict[str, dict[int, float]]:
    """All curves, each by its title, from small to large."""
    turns: dict[int, float] = {}
    for matches in MATCHES:
        with bench.fibsd() as server:
            measured = bench.load(server, "curves", pairs=matches, register=True, warmup=2, login_timeout=60)
        turns[matches] = measured.server["cpu_us_per_move"]
        bench.progress(f"{matches} matches: {turns[matches]:.0f} us a turn")
    logins: dict[int, float] = {}
    news: dict[int, float] = {}
    for users in USERS:
        with (
            bench.fibsd(bench.accounts()) as server,
            # Fewer than that, if they take too long to come in.
            crowd(server.port, users, "crowd", bench.cores.load, CROWD_LOGIN_S) as (_, there),
        ):
            time.sleep(2 * NEWS_S)
            own = login_s(bench, server)
            _, told = lone_login_s(bench, server)
        logins[there], news[there] = own * 1e3, told * 1e6 / there
        bench.progress(f"{there} users: {logins[there]:.2f} ms a login")
    return {TURNS_TITLE: turns, LOGINS_TITLE: logins, NEWS_TITLE: news}
