"""The running server: it puts the parts together and owns every task."""
