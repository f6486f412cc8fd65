"""Measuring, without changing anything."""
