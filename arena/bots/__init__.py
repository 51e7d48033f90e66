"""A bot from its manifest to its seat: what it is, how it is made and started, and the table where it plays."""
