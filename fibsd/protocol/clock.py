"""Times as FIBS writes them. All of them are Unix seconds inside."""

from datetime import UTC, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


@lru_cache(maxsize=1024)
def zone(name: str) -> ZoneInfo:
    """The zone of this name.

    Raises:
        ValueError: There is no such zone.
    """
    try:
        # Names come from users: only plain zone names, never paths.
        if not all(part.replace("_", "").replace("-", "").replace("+", "").isalnum() for part in name.split("/")):
            raise ValueError(f"no time zone: {name!r}")
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, OSError) as error:
        raise ValueError(f"no time zone: {name!r}") from error


def _day_blank_padded(moment: datetime) -> str:
    return f"{moment.day:2d}"


def asctime(at: float) -> str:
    """`Fri Jul  3 16:04:27 2020`, in UTC; the day is padded with a blank as the C library does it."""
    return _asctime(int(at))


# Programs ask for the time again and again, and the C library takes longer to write it than all else for a command.
@lru_cache(maxsize=64)
def _asctime(second: int) -> str:
    moment = datetime.fromtimestamp(second, UTC)
    return moment.strftime(f"%a %b {_day_blank_padded(moment)} %H:%M:%S %Y")


def local_date(at: float, timezone: str) -> str:
    """`Friday, July 03 18:04:27 CEST`."""
    return _local_date(int(at), timezone)


@lru_cache(maxsize=64)
def _local_date(at: int, timezone: str) -> str:
    return datetime.fromtimestamp(at, zone(timezone)).strftime("%A, %B %d %H:%M:%S %Z")


def short_date(at: float, timezone: str) -> str:
    """`Friday, July 03 18:04 CEST`."""
    return datetime.fromtimestamp(at, zone(timezone)).strftime("%A, %B %d %H:%M %Z")


def clock_hhmm(at: float, timezone: str) -> str:
    """`18:04`."""
    return datetime.fromtimestamp(at, zone(timezone)).strftime("%H:%M")


def idle_hm(idle_s: int) -> str:
    """`m:ss` below an hour, else `h:mm` (columns of `who`)."""
    minutes, seconds = divmod(idle_s, 60)
    if minutes < 60:
        return f"{minutes}:{seconds:02d}"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}"
