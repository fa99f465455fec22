"""What is looked for in what comes in: secrets, and signs that a source cannot be trusted."""
