"""What an agent did: episodes, their steps, and the tools they could call."""
