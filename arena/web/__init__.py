"""Pages for the browser: each one file that asks the network for nothing, in light and in dark."""
