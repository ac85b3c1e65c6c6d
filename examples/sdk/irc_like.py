"""An agent in a chat room. People connect with `nc`, talk to each other, and to the agent by its name.

uv run examples/sdk/irc_like.py 6667
nc localhost 6667

A front end is an adapter: `Conversation` queues what people say, runs slash commands, changes the model and tells
everything that happens as one stream of events. This file translates lines to calls, and events to lines.

    zot: what does this project do?     ask; while it works, this waits in the queue
    zot, look at the tests too          say more while it works
    zot: /skill:review-changes          a slash command, as on the screen of zot
    !model openai/gpt-5.1               another model, of any provider you have a key for
    !stop                               stop, and forget what waits
"""

import asyncio
import sys

from zot_core import (
    AssistantMessage,
    Changed,
    Conversation,
    ConversationEvent,
    Done,
    ErrorEvent,
    Notice,
    NotRunning,
    Runtime,
    ToolCall,
    Undelivered,
    ZotError,
    find_skills,
)

NAME = "zot"
LONGEST = 4096
"""Bytes of a line; who sends a longer one is disconnected."""
BEHIND = 1 << 20
"""Bytes that may wait for somebody who does not read; then they are disconnected."""


class Room:
    """Everybody who is connected, and the agent."""

    def __init__(self, conversation: Conversation) -> None:
        self.people: dict[asyncio.StreamWriter, str] = {}
        self.conversation = conversation
        self.waiting = 0
        conversation.events.add(self.hear)

    def say(self, who: str, text: str) -> None:
        """Send a text to everybody, a line at a time."""
        lines = "".join(f"<{who}> {line}\n" for line in text.splitlines())
        for writer in list(self.people):
            writer.write(lines.encode())
            if writer.transport.get_write_buffer_size() > BEHIND:
                writer.transport.abort()

    def hear(self, event: ConversationEvent) -> None:
        """Events to lines."""
        match event:
            case AssistantMessage(message):
                self.say(NAME, message.text)
            case ToolCall(_, name, arguments):
                self.say("*", f"{NAME} runs {name} {arguments}")
            case Notice(_, message) | ErrorEvent(message):
                self.say("*", message)
            case Undelivered(texts):
                self.say("*", f"{NAME} had finished before it could read: {' / '.join(texts)}")
            case Done(reason) if reason != "completed":
                self.say("*", f"{NAME} stopped: {reason}")
            case Changed("queue") if len(self.conversation.waiting) != self.waiting:
                self.waiting = len(self.conversation.waiting)
                self.say("*", f"{self.waiting} waiting")
            case Changed("settings"):
                self.say("*", f"the model is {self.conversation.runtime.state.model}")

    def take(self, who: str, line: str) -> None:
        """Lines to calls."""
        self.say(who, line)
        try:
            if line.startswith(f"{NAME}:"):
                self.conversation.prompt(line.removeprefix(f"{NAME}:").strip())
            elif line.startswith(f"{NAME},"):
                self.conversation.steer(f"{who} says: {line.removeprefix(f'{NAME},').strip()}")
            elif line == "!stop":
                self.conversation.stop()
            elif line.startswith("!model "):
                self.conversation.set_model(line.removeprefix("!model "))
        except NotRunning:
            self.say("*", f"{NAME} is not at work; ask with {NAME}: ...")
        except ZotError as error:  # busy, no key for the model, too much waits
            self.say("*", str(error))

    async def welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One person, from connecting to leaving."""
        who = f"guest{len(self.people) + 1}"
        self.people[writer] = who
        self.say("*", f"{who} is here")
        try:
            while line := await reader.readline():
                self.take(who, line.decode(errors="replace").strip())
        except (ValueError, ConnectionError):
            pass  # a line that is too long, or a connection that broke
        finally:
            del self.people[writer]
            writer.close()
            self.say("*", f"{who} has left")


async def main(port: int) -> None:
    """Serve until interrupted."""
    skills = find_skills(".").found
    # Strangers speak to it: no tool that writes, runs or fetches anything.
    runtime = Runtime(skills=skills, builtin_tools=["read", "grep", "ls", "skill"])
    async with Conversation(runtime, max_queued=20) as conversation:
        room = Room(conversation)
        server = await asyncio.start_server(room.welcome, "127.0.0.1", port, limit=LONGEST)
        print(f"listening on port {server.sockets[0].getsockname()[1]}", flush=True)
        try:
            await asyncio.Event().wait()  # serve_forever would not end before the last person has left
        finally:
            server.close()


if __name__ == "__main__":
    try:
        asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 6667))
    except KeyboardInterrupt:
        pass
    except ZotError as error:
        sys.exit(f"irc_like: {error}")
