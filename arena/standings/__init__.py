"""The read model: from kept matches to ladders, ratings, ranks, histories and meetings, every bot by its id.

Terminals, pages, files and notebooks show what is decided here. Nothing is imported here: who only asks which versions
are on the ladder (`ladder`) need not wait for numpy.
"""
