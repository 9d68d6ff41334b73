"""What others see of a user's network address."""


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
