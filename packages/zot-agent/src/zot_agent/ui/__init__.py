"""The interactive screen. The modules here so far draw nothing and know no widgets."""
