"""Where a lookup's arguments come from."""
