"""What others see of a user's network address, and what the server sees of its own machine."""

import resource


def shown_host(peer: str, show: str) -> str:
    """One word for an address, never blank.

    Args:
        peer: The address as the system gives it.
        show: `full`, `masked` (the last part is replaced), or `none`.
    """
    if show == "none" or not peer:
        return "hidden"
    if show == "full":
        return peer
    head, dot, _ = peer.rpartition(".")
    if dot:
        return f"{head}.x"
    head, colon, _ = peer.rpartition(":")
    return f"{head}:x" if colon else "x"


def memory_bytes() -> int:
    """The most memory that the server has used since it was started."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
