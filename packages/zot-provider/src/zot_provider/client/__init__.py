"""The HTTP client of one provider."""
