"""What may be asked: one file a question, named for its answer."""
