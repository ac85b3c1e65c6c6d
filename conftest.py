"""What every test run needs, whoever started it."""

import signal

# The background jobs of a shell ignore SIGINT, and so would every process that a test starts.
signal.signal(signal.SIGINT, signal.default_int_handler)
