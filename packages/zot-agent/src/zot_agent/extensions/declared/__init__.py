"""What extensions declare in their manifests and bring without running."""
