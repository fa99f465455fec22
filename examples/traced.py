"""Muniment in a host's traces: ``python examples/traced.py DIRECTORY``.

The host sets up OpenTelemetry; here every span goes to the standard output, as one line of JSON.
"""

import sys

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

import muniment


def main(directory: str) -> None:
    """Saves and searches within a span of the host, and finds the trace of what was saved."""
    provider = TracerProvider()
    lines = ConsoleSpanExporter(formatter=lambda span: span.to_json(indent=None) + "\n")
    provider.add_span_processor(SimpleSpanProcessor(lines))
    trace.set_tracer_provider(provider)

    with muniment.open(directory, actor="bot:main") as handle:
        with trace.get_tracer("host").start_as_current_span("turn"):
            saved = handle.save("Ada likes green tea", tags=["preference"])
            handle.search("tea")
        entry = [one for one in handle.log() if one.stream == saved.id][-1]
        print("position", entry.position, "was written in the trace", entry.correlation_id)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python examples/traced.py DIRECTORY")
    main(sys.argv[1])
