"""What every test run needs, whoever started it."""

import signal

from hypothesis import HealthCheck, settings

# The background jobs of a shell ignore SIGINT, and so would every process that a test starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A machine that is busy with something else makes no test fail.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")
