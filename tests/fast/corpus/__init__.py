"""Tokens with the logs that they must go on to give.

One idea: a token that somebody keeps is a promise. So a few of every kind are kept here, each with what it replays to
in a form that can be reviewed: an edit of the kit or of a scenario that breaks the promise shows as a diff of a story.
"""
