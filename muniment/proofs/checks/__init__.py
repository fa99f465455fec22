"""What has to hold of each event, given everything before it: one small function an invariant.

A function is asked before the event is taken in, and says in a sentence what is wrong, or None.
"""
