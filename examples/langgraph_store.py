"""Muniment as LangGraph's store: ``python examples/langgraph_store.py DIRECTORY``.

Give the same store to ``graph.compile(store=store)``.
"""

import sys

import muniment
from muniment.interfaces.langgraph import MunimentStore


def main(directory: str) -> None:
    """Puts a preference twice, finds it, deletes it, and shows that nothing was lost."""
    with muniment.open(directory, space="langgraph", actor="bot:main") as handle:
        store = MunimentStore(handle)
        store.put(("users", "ada"), "drink", {"text": "Ada likes tea"})
        store.put(("users", "ada"), "drink", {"text": "Ada likes green tea"})
        for item in store.search(("users",), query="tea"):
            print("found", item.namespace, item.key, item.value)
        (hit,) = handle.search("tea").hits
        store.delete(("users", "ada"), "drink")
        print("after the delete", store.get(("users", "ada"), "drink"))
        for entry in handle.history(hit.memory.id):
            print(entry.version, entry.name)
        print("intact", handle.verify().intact)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python examples/langgraph_store.py DIRECTORY")
    main(sys.argv[1])
