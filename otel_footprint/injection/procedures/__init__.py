"""Procedures: a skill's ordered steps, where a run stands in them, and what the model is shown.

declaration   checks of declared steps
plan          the steps as data
pointer       where the procedure stands; a machine by value
offer         which tools a request shows
settle        what came back from tools: steps done, steps skipped, skills activated
ending        the nudge, the accepted answer, the turn cut short
sentences     all that the model reads about it
"""
