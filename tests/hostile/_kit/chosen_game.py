"""The game that the hostile bots play; who lets them play another one gives them another file."""

NAME = "claim"
