"""Where the runs of a fleet are kept: Postgres for many machines, a folder for one."""
