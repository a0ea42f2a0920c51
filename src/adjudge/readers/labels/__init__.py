"""Files of labels of items by annotators, for reliability and agreement."""
