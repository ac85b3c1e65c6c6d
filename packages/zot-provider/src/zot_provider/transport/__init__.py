"""HTTP: the one place that opens sockets, and server-sent events."""
