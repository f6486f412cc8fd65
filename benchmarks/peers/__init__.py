"""What other proxies need to be measured beside this one."""
