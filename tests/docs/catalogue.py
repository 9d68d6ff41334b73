"""The catalogue of sentences, module by module, as the pages show it."""

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType

import attrs

from fibsd.protocol import messages
from fibsd.protocol.messages.template import Template

ALL_SESSIONS = "all"


@attrs.frozen
class Sentence:
    """A template and the name under which it stands in the catalogue."""

    name: str
    template: Template

    @property
    def roles(self) -> str:
        """Who sees it."""
        return ", ".join(self.template.roles.split())

    @property
    def sessions(self) -> str:
        """In which kinds of sessions."""
        if self.template.modes == "any":
            return ALL_SESSIONS
        return ", ".join("CLIP" if mode == "clip" else mode for mode in self.template.modes.split())


def modules() -> Iterator[ModuleType]:
    """The modules of the catalogue that have sentences, by name."""
    for info in sorted(pkgutil.iter_modules(messages.__path__), key=lambda info: info.name):
        module = importlib.import_module(f"{messages.__name__}.{info.name}")
        if any(isinstance(value, Template) for value in vars(module).values()):
            yield module


def of_module(module: ModuleType) -> Iterator[Sentence]:
    """The sentences of a module, in the order of its text."""
    for name, value in vars(module).items():
        if isinstance(value, Template):
            yield Sentence(name, value)


def of_section(section: str) -> Iterator[Sentence]:
    """The sentences of a section of the protocol."""
    return (one for module in modules() for one in of_module(module) if one.template.section == section)


def used_sections() -> set[str]:
    """All sections that have sentences."""
    return {one.template.section for module in modules() for one in of_module(module)}
