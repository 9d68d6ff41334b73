"""A client's life, from the first byte to the last."""
