"""Extensions on the chat screen."""
