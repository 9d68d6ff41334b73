"""Lines of the log: their form, their level, and whom they tell of."""

import json
from collections.abc import Iterator

import attrs
import pytest
import structlog
import trio

from fibsd.observe import log


@pytest.fixture(autouse=True)
def _log_as_before() -> Iterator[None]:
    """Afterwards the log is as before."""
    before = structlog.get_config()
    yield
    structlog.configure(**before)


def lines(text: str) -> list[dict[str, object]]:
    """What stands in a log of the form `json`."""
    return [json.loads(line) for line in text.splitlines()]


def test_level_and_form_can_change_under_way(capsys: pytest.CaptureFixture[str]) -> None:
    logger = structlog.get_logger()
    log.configure("warning", "json")
    logger.info("not told")
    logger.warning("told", count=1)
    log.configure("info", "console")
    logger.info("told too", count=2)
    first, second = capsys.readouterr().err.splitlines()
    assert json.loads(first)["event"] == "told"
    assert "[info     ] told too" in second
    assert second.endswith("count=2")


def test_addresses_can_be_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    logger = structlog.get_logger()
    log.configure("info", "json")
    logger.info("connection", peer="192.0.2.7")
    log.configure("info", "json", addresses=False)
    logger.info("connection", peer="192.0.2.7", session=3)
    first, second = lines(capsys.readouterr().err)
    assert first["peer"] == "192.0.2.7"
    assert "peer" not in second
    assert second["session"] == 3


def test_traceback_shows_no_values(capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever other ways to show it are installed."""
    logger = structlog.get_logger()

    def fail(password: str) -> None:
        raise RuntimeError("a fault of ours")

    for form in ("console", "json"):
        log.configure("info", form)
        try:
            fail("swordfish" + "9")
        except RuntimeError:
            logger.exception("failed")
    text = capsys.readouterr().err
    assert text.count("RuntimeError: a fault of ours") == 2
    assert "swordfish9" not in text


@attrs.define
class Speaker:
    """A session as far as the log knows it."""

    id: int
    known_as: str | None = None


async def test_lines_of_a_task_tell_whose_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    """Each task's own, and what it starts begins anew."""
    logger = structlog.get_logger()
    log.configure("info", "json")

    async def aside() -> None:
        log.speak_for(None)
        logger.info("aside")
        await trio.lowlevel.checkpoint()

    async def session(number: int, name: str) -> None:
        speaker = Speaker(number)
        log.speak_for(speaker)
        logger.info("begun")
        await trio.lowlevel.checkpoint()
        speaker.known_as = name
        logger.info("login")
        nursery.start_soon(aside)
        await trio.lowlevel.checkpoint()
        logger.info("slow", session=99, user=None)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(session, 1, "ann")
        nursery.start_soon(session, 2, "bob")
    found = sorted((str(one["event"]), one.get("session"), one.get("user")) for one in lines(capsys.readouterr().err))
    assert found == [
        *[("aside", None, None)] * 2,
        *[("begun", 1, None), ("begun", 2, None), ("login", 1, "ann"), ("login", 2, "bob")],
        *[("slow", 99, None)] * 2,
    ]
