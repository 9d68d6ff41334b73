"""What the server costs, as ratios to the least that a program of its kind could cost: `python -m tests.bench`."""
