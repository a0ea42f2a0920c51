"""Files of questions and model answers, for rag."""
