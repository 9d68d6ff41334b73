"""The built-in engine, and the client that plays with it."""
