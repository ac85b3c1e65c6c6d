"""`FleetLimits`: every wait of a fleet."""

from zot_provider.record import Record


class FleetLimits(Record):
    """`heartbeat_seconds`: a run whose worker has said nothing for so long is given to another one. `run_seconds`: how
    long a run may work between two questions. `start_seconds`: how long the process of a run may take to begin.
    `end_seconds`: how long it may take to end once it is asked to. `retry_seconds` and `most_retry_seconds`: the first
    and the longest pause before a run is tried again. `workspace_tries`: how often its files are fetched before it is
    parked. `deliver_seconds`: how long a worker may take to accept a message. `connect_seconds`: how long to wait for
    the engine. `away_seconds`: how long the process of a run waits for a store that has gone, before the run leaves its
    worker. `steer_bytes`: the longest message.

    The limits of the client that submits a run hold for what the engine does with it, the limits of a worker for the
    processes there."""

    heartbeat_seconds: float = 10.0
    run_seconds: float = 7 * 24 * 3600.0
    start_seconds: float = 60.0
    end_seconds: float = 20.0
    retry_seconds: float = 1.0
    most_retry_seconds: float = 60.0
    workspace_tries: int = 3
    deliver_seconds: float = 10.0
    connect_seconds: float = 10.0
    away_seconds: float = 30.0
    steer_bytes: int = 200_000
