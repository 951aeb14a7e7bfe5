"""Pictures: known by content, decoded within limits, compared to show where to look. No verdict reads a number."""
