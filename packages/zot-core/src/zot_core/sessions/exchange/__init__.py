"""Sessions as files to keep and to give away: `.zotsession`, Markdown; and what every such file is made from."""
