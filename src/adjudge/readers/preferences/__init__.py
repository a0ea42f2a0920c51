"""Files of preferences, predicted or by humans, and of published scores."""
