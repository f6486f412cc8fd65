"""A flow asked by another harness: a line in, a line out."""
