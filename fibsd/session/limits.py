"""Arithmetic of limits: how much of something may be done in a time, and how long a guess must wait."""

import attrs

_ROUNDING = 1e-9
"""What sums of small times may lack."""


@attrs.define
class Bucket:
    """Tokens that come back at a steady rate and can be saved up to a bound.

    Attributes:
        rate: Tokens that come back in a second.
        burst: The most that can be saved; a new bucket is full.
        level: Tokens in it at `at`.
        at: Unix seconds.
    """

    rate: float
    burst: float
    level: float
    at: float

    @classmethod
    def full(cls, rate: float, burst: float, now: float) -> "Bucket":
        """A bucket from which nothing was taken yet."""
        return cls(rate, burst, burst, now)

    def take(self, now: float, tokens: int = 1) -> bool:
        """Take so many tokens if there are as many."""
        self._fill(now)
        left = self.level - tokens
        if left < -_ROUNDING:
            return False
        self.level = left if left > 0.0 else 0.0
        return True

    def wait_s(self, now: float) -> float:
        """Seconds until there is a token."""
        self._fill(now)
        return max(0.0, (1 - self.level) / self.rate)

    def is_full(self, now: float) -> bool:
        """Whether nothing of it is spent any more."""
        self._fill(now)
        return self.level >= self.burst

    def _fill(self, now: float) -> None:
        # A clock that was set back gives nothing and takes nothing away.
        passed = now - self.at
        if passed > 0.0:
            level = self.level + passed * self.rate
            # No call of `min`: this is done for each line of every user.
            self.level = level if level < self.burst else self.burst
            self.at = now


@attrs.define
class Buckets:
    """One bucket for each key, such as an address; full ones are forgotten.

    Attributes:
        rate: Tokens a second for each key.
        burst: The most that a key can save up.
    """

    rate: float
    burst: float
    _buckets: dict[str, Bucket] = attrs.Factory(dict)

    def take(self, key: str, now: float) -> bool:
        """Take one token of a key if there is one."""
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = Bucket.full(self.rate, self.burst, now)
        return bucket.take(now)

    def forget_full(self, now: float) -> None:
        """Keep only keys that have spent something."""
        self._buckets = {key: bucket for key, bucket in self._buckets.items() if not bucket.is_full(now)}

    def __len__(self) -> int:
        return len(self._buckets)


FIRST_DELAY_S = 1.0
LONGEST_DELAY_S = 30.0
FORGIVEN_AFTER_S = 900.0
"""Seconds after the last failure at which all are forgotten."""


@attrs.define
class Failures:
    """Failed guesses by key, an account or an address, and the delay that grows with them.

    Attributes:
        free: Failures that cost no delay: everybody mistypes a password.
    """

    free: int
    _counts: dict[str, tuple[int, float]] = attrs.Factory(dict)

    def delay_s(self, key: str, now: float) -> float:
        """How long the next guess is made to wait."""
        count, last = self._counts.get(key, (0, now))
        if count < self.free or now - last > FORGIVEN_AFTER_S:
            return 0.0
        return min(LONGEST_DELAY_S, FIRST_DELAY_S * 2.0 ** min(count - self.free, 10))

    def failed(self, key: str, now: float) -> None:
        """One more wrong guess."""
        count, last = self._counts.get(key, (0, now))
        self._counts[key] = (1 if now - last > FORGIVEN_AFTER_S else count + 1, now)

    def succeeded(self, key: str) -> None:
        """A right one: the count begins anew."""
        self._counts.pop(key, None)

    def forget_old(self, now: float) -> None:
        """Keep only what still counts."""
        self._counts = {
            key: (count, last) for key, (count, last) in self._counts.items() if now - last <= FORGIVEN_AFTER_S
        }

    def __len__(self) -> int:
        return len(self._counts)
