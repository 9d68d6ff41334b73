"""Replays every golden transcript: all that is sent is compared, and that nothing else is sent."""

import time
from pathlib import Path

import pytest

from tests.support.client import run
from tests.support.transcript import Mismatch, escape, replay, transcripts, unescape


@pytest.fixture(autouse=True)
def _zone(monkeypatch: pytest.MonkeyPatch):
    """The banner tells the time where the server is: the zone of the reference's example."""
    monkeypatch.setenv("TZ", "MEST-2")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("path", transcripts(), ids=lambda path: path.stem)
def test_server_sends_what_the_transcript_says(path: Path, tmp_path: Path) -> None:
    run(replay, path, tmp_path)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("alice: connects quietly\nalice> bye\n", r"\+alice<\| .*password:"),
        ("alice: connects quietly\nalice>\nalice<| login:\n", r"-alice<\| login:"),
        ("alice: connects quietly\nalice>\nalice<| login:\\x20\nalice: is closed\n", "not closed"),
        ("dice: 1-1\n", "left over"),
    ],
    ids=["unexpected bytes", "a blank less", "not closed", "dice left"],
)
def test_replay_notices_every_difference(text: str, fault: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(Mismatch, match=fault):
        run(replay, path, tmp_path)


@pytest.mark.parametrize("data", [b"> ", b"\t\t one", b"a\\b\x07", b"", b"\xff\xfb\x01"])
def test_escapes_are_read_back(data: bytes) -> None:
    assert unescape(escape(data)) == data
