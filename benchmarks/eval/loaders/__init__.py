"""Tasks from public sets, which somebody has fetched."""
