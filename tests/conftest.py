"""While tests run, values refuse to be changed."""

import sys

import attrs

from fibsd import values

# Decorators look here when their classes are made.
assert not any(name.startswith("fibsd.backgammon") for name in sys.modules)
values.frozen = attrs.frozen
