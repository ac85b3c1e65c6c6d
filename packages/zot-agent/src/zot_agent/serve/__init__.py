"""`zot serve`: the RPC protocol over WebSocket and HTTP, for many sessions in one process."""
