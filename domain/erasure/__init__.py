"""Erasure on request: what it takes with it, what is recorded of it, and its certificate.

A memory's words may stand in other memories too: in what it was merged into, in what that was
merged into, in repetitions that were folded. An erasure follows them by the ids in the log, never
by comparing texts. Its basis, and the subject that it is about, are words under a key of its own,
so that the certificate can be read when the memories cannot.
"""
