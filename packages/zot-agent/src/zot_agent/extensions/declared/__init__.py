"""The declarations of manifests, and the resources of extensions that do not run yet."""
