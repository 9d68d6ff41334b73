"""Values: classes of attrs of which nobody changes an object that is made.

All that is decided, told and stored is made of them; a turn makes more than twenty.
The type checker lets nobody change one, and while tests run `attrs.frozen` itself stands here, which refuses it, too.
A server does without that: with it each attribute is set by a call, which was a tenth of a turn
(docs/design/adr/0026-values-are-frozen-where-they-are-checked.md).
"""

from typing import TYPE_CHECKING

import attrs

__all__ = ["frozen"]

if TYPE_CHECKING:
    from attrs import frozen
else:

    def frozen(cls: type | None = None, *, eq: bool = True, **options: object) -> object:
        """Do as `attrs.frozen` does, but do not see to it that nothing is changed."""
        return attrs.define(cls, eq=eq, unsafe_hash=eq, **options)
