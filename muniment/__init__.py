"""Long-term memory for fleets of AI agents, built so that every change can be put in evidence.

import muniment

with muniment.open("memory/") as m:
    saved = m.save("User is in Chicago (America/Chicago)", category="user-preferences/timezone")
    m.search("where is the user?")
    m.history(saved.id)
    m.verify().intact
"""

import lazy_loader  # pyright: ignore[reportMissingTypeStubs] (it has none)

# every name of the face stands in __init__.pyi, and is loaded when it is first asked for
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(  # pyright: ignore[reportUnknownVariableType]
    __name__, __file__
)
