"""Reports: Markdown, and HTML pages of one file."""
