"""Copies of session logs whose values are pseudonyms, to learn the same flow from."""
