"""Judge card: can an LLM judge replace human annotators?"""
