"""Where accounts, matches and messages are kept."""
