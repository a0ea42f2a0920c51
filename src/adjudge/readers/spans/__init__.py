"""Files of marked spans, for violations."""
