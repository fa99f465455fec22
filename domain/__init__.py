"""Events, states and decisions: pure functions and values, no input and no output."""
