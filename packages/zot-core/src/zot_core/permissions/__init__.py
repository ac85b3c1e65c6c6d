"""Permissions: which tool calls may run, by rules and by a mode. Nothing here knows a front end.

A rule is text: `bash(git status*)`, `edit(src/**)`, `read(~/.ssh/**)`, or the bare name of a tool. A deny comes before
an ask, an ask before an allow, wherever they are written. The mode decides about what no rule names. Rules see words
and are no boundary: a program that was allowed to run can do whatever its user can.
"""
