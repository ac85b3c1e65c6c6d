"""Extensions on the screens of clients: keys, the input field, and what they draw in the conversation."""
