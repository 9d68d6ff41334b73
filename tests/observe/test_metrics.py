"""Figures in the form that a monitoring system reads."""

from prometheus_client.parser import text_string_to_metric_families

from fibsd.observe.metrics import Figures, Metrics

NONE = Figures(sessions={}, users=0, matches=0, outbox_bytes=0, held_sessions=0, jobs=0)


def samples(metrics: Metrics, figures: Figures = NONE) -> dict[tuple[str, tuple[str, ...]], float]:
    """What is shown, by name and labels."""
    families = text_string_to_metric_families(metrics.text(figures).decode())
    return {(sample.name, tuple(sample.labels.values())): sample.value for one in families for sample in one.samples}


def test_what_happened_is_counted() -> None:
    metrics = Metrics()
    metrics.accepted()
    metrics.accepted()
    metrics.refused("too many users")
    metrics.login_refused("banned")
    metrics.command("who", 0.002)
    metrics.command("who", 3.0)
    metrics.committed(0.01)
    metrics.lagged(0.2)
    metrics.rolled(36)
    shown = samples(metrics)
    assert shown["fibsd_connections_total", ()] == 2
    assert shown["fibsd_connections_refused_total", ("too many users",)] == 1
    assert shown["fibsd_logins_refused_total", ("banned",)] == 1
    assert shown["fibsd_command_seconds_count", ("who",)] == 2
    assert shown["fibsd_command_seconds_bucket", ("who", "0.0025")] == 1
    assert shown["fibsd_command_seconds_sum", ("who",)] == 3.002
    assert shown["fibsd_commit_seconds_count", ()] == 1
    assert shown["fibsd_loop_lag_seconds_sum", ()] == 0.2
    assert shown["fibsd_rolls_total", ()] == 36


def test_how_things_stand_is_shown_as_of_now() -> None:
    metrics = Metrics()
    now = Figures(sessions={"clip": 2, "login": 1}, users=2, matches=1, outbox_bytes=5000, held_sessions=1, jobs=3)
    shown = samples(metrics, now)
    assert shown["fibsd_sessions", ("clip",)] == 2
    assert shown["fibsd_users", ()] == 2
    assert shown["fibsd_matches", ()] == 1
    assert shown["fibsd_outbox_bytes", ()] == 5000
    assert shown["fibsd_held_sessions", ()] == 1
    assert shown["fibsd_jobs_waiting", ()] == 3
    assert not any(name == "fibsd_sessions" for name, _ in samples(metrics))


def test_two_servers_in_one_process_do_not_mix() -> None:
    one, other = Metrics(), Metrics()
    one.accepted()
    assert samples(other)["fibsd_connections_total", ()] == 0


def test_only_what_is_of_use_is_shown() -> None:
    text = Metrics().text(NONE).decode()
    assert "_created" not in text
    assert "process_open_fds" in text
