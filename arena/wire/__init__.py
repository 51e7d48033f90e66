"""The messages between the referee and bots, generated from proto/ and never edited."""
