"""The rules on loan: `python -m arena.sdk.rules_service -- COMMAND` runs a bot with a RulesService beside it."""
