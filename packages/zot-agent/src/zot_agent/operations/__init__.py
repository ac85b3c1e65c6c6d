"""What programs ask of zot, over `zot rpc`, `zot serve` and from extensions."""
