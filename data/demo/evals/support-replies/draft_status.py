"""Drafts the status note of the support desk from what the desk wrote down today."""

from pathlib import Path

notes = Path("desk/today.txt").read_text("utf-8").split("\n")
print("Status of the support desk. " + notes[0])
print(" ".join(note for note in notes[1:] if note))
