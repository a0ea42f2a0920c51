"""The summary of a report: one verdict, one table and a few sentences, which every output prints."""
