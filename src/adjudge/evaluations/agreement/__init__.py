"""Inter-annotator agreement without reference labels."""
