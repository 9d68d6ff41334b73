"""`python -m fibsd`."""

from fibsd.cli import main

main()
