"""From the results so far to the next fixtures: pure, without clocks, processes or a store."""
