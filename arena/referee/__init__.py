"""One match: players, the referee, its clocks, and the record that proves it."""
