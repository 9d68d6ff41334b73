"""The docs: links lead somewhere, generated pages are current, sentences have lines of their own."""

import re
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from fibsd.config import Config
from tests.docs import PAGES, ROOT, catalogue, protocol
from tests.docs.config import header, keys

FILES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TRANSCRIPTS = sorted((ROOT / "tests" / "transcripts").glob("*.txt"))
DECISIONS = sorted((ROOT / "docs" / "design" / "adr").glob("*.md"))

_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_TWO_SENTENCES = re.compile(r"[.?!][)\"']? +[(\"'`*]*[A-Z]")
_REFERENCE = re.compile(r"\(reference ([^;)]*)")
_SHOWN = re.compile(r"^== ((?:[\d.]+(?:, | ))+)", re.MULTILINE)
_NOT_OURS = re.compile(r"/(home|root|tmp|work)(/|\b)|https?://(?!keepachangelog\.com/)")


def name_of(path: Path) -> str:
    """A path as the tests are called after it."""
    return str(path.relative_to(ROOT))


each_file = pytest.mark.parametrize("path", FILES, ids=name_of)


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a page by number, without code, tables, and the numbers of lists and decisions."""
    in_code = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("```"):
            in_code = not in_code
        elif not in_code and not line.startswith("|"):
            yield number, re.sub(r"`[^`]*`", "`", re.sub(r"^(# )?[0-9]+\. ", "", line))
    assert not in_code, f"{path}: a block of code has no end"


def anchors(path: Path) -> set[str]:
    """The names by which a link can lead to a heading of the page."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def sections_named(pattern: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """The sections of the protocol that code or transcripts name in this way, each with the file's name."""
    for path in (*(ROOT / "fibsd").rglob("*.py"), *(ROOT / "tests").rglob("*.py"), *TRANSCRIPTS):
        for named in pattern.findall(path.read_text(encoding="utf-8")):
            yield from ((name_of(path), number) for number in re.findall(r"\d+(?:\.\d+)?", named))


@each_file
def test_links_lead_to_files_and_headings(path: Path) -> None:
    for target in _LINK.findall(path.read_text(encoding="utf-8")):
        if target.startswith("https://"):
            continue
        file, _, anchor = target.partition("#")
        there = (path.parent / file).resolve() if file else path
        assert there.is_file(), target
        assert there.is_relative_to(ROOT), target
        if anchor:
            assert anchor in anchors(there), target


@each_file
def test_one_sentence_a_line(path: Path) -> None:
    assert [f"{number}: {line}" for number, line in prose(path) if _TWO_SENTENCES.search(line)] == []


@each_file
def test_nothing_belongs_to_one_machine(path: Path) -> None:
    """No path of somebody's disk, no address of a host."""
    assert _NOT_OURS.search(path.read_text(encoding="utf-8")) is None


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    to_read = [ROOT / "README.md"]
    while to_read:
        path = to_read.pop()
        if path not in reached and path.suffix == ".md":
            reached.add(path)
            targets = _LINK.findall(path.read_text(encoding="utf-8"))
            to_read += [(path.parent / target.partition("#")[0]).resolve() for target in targets if "://" not in target]
    assert {name_of(path) for path in FILES} <= {name_of(path) for path in reached}


@pytest.mark.parametrize("page", PAGES)
def test_generated_pages_are_current(page: str) -> None:
    """Else run `python -m tests.docs`."""
    assert (ROOT / page).read_text(encoding="utf-8") == PAGES[page](ROOT)


def test_reference_has_every_key_of_the_configuration() -> None:
    text = (ROOT / "docs" / "reference" / "config.md").read_text(encoding="utf-8")
    for section in attrs.fields(Config):
        _, _, rest = text.partition(f"## `{header(section)}`\n")
        listed = re.findall(r"^- `(\w+)`: \S", rest.partition("\n## ")[0], re.MULTILINE)
        assert listed == [key.name for key in keys(section)]


def test_protocol_has_every_section_that_code_and_transcripts_name() -> None:
    """So that "reference 6.4" in a comment leads somewhere; sentences are seen to when the page is made."""
    known = {section.number for section in protocol.sections(ROOT)}
    named = {*sections_named(_REFERENCE), *sections_named(_SHOWN)}
    assert sorted(f"{name}: {number}" for name, number in named if number not in known) == []


def test_protocol_has_an_example_of_each_section_that_a_transcript_shows() -> None:
    shown = {number for _, number in sections_named(_SHOWN)}
    assert [one.number for one in protocol.sections(ROOT) if one.number in shown and not one.examples] == []


def test_protocol_names_only_sentences_that_there_are() -> None:
    there = {one.name for module in catalogue.modules() for one in catalogue.of_module(module)}
    text = "\n".join(line for section in protocol.sections(ROOT) for line in section.lines)
    assert set(re.findall(r"`([A-Z]+_[A-Z_0-9]+)`", text)) <= there


@pytest.mark.parametrize(
    ("number", "line", "separator"),
    [("2.1", r" < (2 \w+ [01] .*)$", " "), ("2.2", r" < (5 \w+ \S+ .*)$", " "), ("5.2", r" < (board:.*)$", ":")],
)
def test_protocol_tells_every_field_of_a_line(number: str, line: str, separator: str) -> None:
    """As many as the examples of the page have."""
    (section,) = (one for one in protocol.sections(ROOT) if one.number == number)
    rows = re.findall(r"^\| (\d+)(?: to (\d+))? \|", "\n".join(section.lines), re.MULTILINE)
    fields = [field for first, last in rows for field in range(int(first), int(last or first) + 1)]
    examples = re.findall(line, (ROOT / "docs" / "reference" / "protocol.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert examples
    assert {len(example.split(separator)) for example in examples} == {len(fields)}
    assert fields == list(range(len(fields)))


@pytest.mark.parametrize("path", DECISIONS, ids=name_of)
def test_decisions_have_their_parts_and_a_number_of_their_own(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    number = DECISIONS.index(path) + 1
    assert path.name.startswith(f"{number:04d}-")
    assert text.startswith(f"# {number}. ")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == ["Context", "Decision", "Consequences"]
    assert len(text.splitlines()) <= 60
    title = text.splitlines()[0].removeprefix("# ")
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert f"{title.replace('. ', '. [', 1)}](design/adr/{path.name})" in index


def test_readme_has_the_two_commands() -> None:
    """Each on a line of its own, so that it can be copied whole; CI takes the second one from here."""
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    commands = [line for line in lines if line.startswith("python3 -m venv ")]
    assert len(commands) == 2
    assert commands[0].endswith("/bin/fibsd serve")
    assert commands[1].endswith("/bin/python -m pytest")
