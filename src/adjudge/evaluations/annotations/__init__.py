"""Which traits votes reward, and which traits a model shows: annotators of response pairs against one another."""
