"""Long-term memory for fleets of AI agents, built so that every change can be put in evidence."""
