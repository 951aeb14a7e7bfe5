"""Judges: one protocol, several transports. The only place that talks to a model.

Start with `protocol`: what a judge is given and what it gives back.
"""
