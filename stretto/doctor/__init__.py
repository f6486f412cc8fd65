"""What `stretto doctor` looks at: the installation, the data, hosts, a live server."""
