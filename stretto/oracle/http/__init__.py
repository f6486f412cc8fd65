"""Asking a model over HTTP: tries, waits, deadlines, and a key that stays secret."""
