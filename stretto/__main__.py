"""`python -m stretto`."""

from stretto.cli.main import main

main()
