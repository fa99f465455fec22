"""``work.db``: what is kept for a while and is in no log. Working memory, turns, tool reports."""
