"""Providers of models that an extension serves: what authors use."""
