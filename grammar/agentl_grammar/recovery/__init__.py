"""Reading on behind a mistake, so that every mistake is told once and what is healthy around it is kept.

`least_change` chooses among whole readings of a member, `reading_on` makes one, `repairs` and `heads` propose
what may be changed at a place, `track` holds the tokens, `aftermath` drops what a repair alone brought about.
"""
