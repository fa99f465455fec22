"""Working memory: a scratch space of keys with a time to live, shared by the agents of a space."""
