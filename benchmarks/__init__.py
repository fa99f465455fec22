"""Side-by-side runs: what Muniment takes beside a peer or the limit, in the same run."""
