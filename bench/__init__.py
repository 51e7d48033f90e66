"""The benchmarks, each printing numbers measured in one run."""
