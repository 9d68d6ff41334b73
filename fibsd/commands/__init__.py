"""What each command does: one small function for each, entered in one table."""
