"""What the two founding documents claim, part by part, in our own words."""
