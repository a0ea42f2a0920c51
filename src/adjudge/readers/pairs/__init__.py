"""Files of annotated pairs of responses."""
