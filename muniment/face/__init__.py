"""The calls of a handle, by what they are for; `muniment.handle` puts them together."""
