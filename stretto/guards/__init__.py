"""May this write go ahead? A domain's written policy, checked against what was seen."""
