"""Which streams of recalls the retention purge would remove the words of."""

from muniment.domain.inputs import Input

from .reading import Reading


class DueRecalls(Input):
    """Streams of recalls that are older than recalls are kept."""

    retention_days: float

    def answer(self, reading: Reading) -> list[str]:
        """Their ids, in the order of their beginnings."""
        with reading.lock:
            return reading.recall_log().due(reading.now, self.retention_days)
