"""What a sub-agent wants remembered, until somebody who may write decides on it."""
