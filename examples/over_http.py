"""Saves and recalls over HTTP: ``python examples/over_http.py ADDRESS TOKEN``.

Start ``muniment serve`` first; it prints both.
"""

import sys

import httpx


def main(address: str, token: str) -> None:
    """Saves two facts in a way that may be repeated, and asks for one of them."""
    headers = {"Authorization": f"Bearer {token}", "X-Session": "example-1"}
    with httpx.Client(base_url=f"{address}/v1", headers=headers) as client:
        for number, fact in enumerate(
            ["User is in Chicago (America/Chicago)", "The web shop deploys on Tuesdays at 3 pm"]
        ):
            saved = client.post(
                "/memories",
                json={"content": fact},
                headers={"Idempotency-Key": f"example-1-{number}"},
            )
            saved.raise_for_status()
            print(saved.json()["outcome"], fact)
        found = client.post("/search", json={"query": "where is the user?", "limit": 1})
        found.raise_for_status()
        print("found", found.json()["hits"][0]["memory"]["content"])


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python examples/over_http.py ADDRESS TOKEN")
    main(*sys.argv[1:])
