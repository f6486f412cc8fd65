"""
`local`: a System-One model learned from one's own sessions, served without JAX.

`stretto.models.local` trains it. Read `clues` for what it looks at, `net` for what it
computes, `file` for what is kept, and `oracle` for how it answers.
"""

NAME = "local"
"""What the oracle is called on the command line and in logs."""

FILE = "local.safetensors"
"""The model's file in stretto's own folder, where no other is named."""
