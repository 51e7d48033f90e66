"""The rules on loan: `python -m arena.rules_service -- COMMAND` runs a bot with a RulesService beside it."""
