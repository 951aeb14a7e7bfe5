"""Touchstone's scoring package: every rule, read and write that the pages and the command line share.

Nothing here imports Streamlit. `python -m core --help` lists the commands.
"""

__version__ = "0.1.0"
