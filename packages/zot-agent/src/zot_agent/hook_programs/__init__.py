"""Programs that the settings name for events and intercepts of extensions; nothing of it is imported without any."""

INSIDE = "ZOT_HOOK"
"""A variable that every hook program has: the name of its event. A zot that such a program starts has no hook programs,
because they could start each other for ever."""
