"""What turns a site's options into probabilities."""
