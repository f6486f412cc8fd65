"""What comes next, by counting."""
