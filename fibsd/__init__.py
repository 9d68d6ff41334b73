"""An open server for the protocol of the First Internet Backgammon Server."""

__version__ = "0.1.0"
