"""What may be done: one file an intent, its command model and its handler."""
