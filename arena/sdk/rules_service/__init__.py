"""The rules as a gRPC service: `python -m arena.sdk.rules_service -- COMMAND` runs a bot with it on a second socket."""
