"""FIBS text, sans-IO: bytes and lines in, values out, and values to lines."""
