"""What a running tournament tells about itself: events, its state, a row in the store, metrics, a log."""
