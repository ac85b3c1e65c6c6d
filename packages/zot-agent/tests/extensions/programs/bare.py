"""An extension with nothing but the standard library, which does as its first argument says."""

import json
import os
import signal
import subprocess
import sys
import time

HELLO = {"type": "hello", "name": "bare", "version": "1.0.0", "capabilities": ["commands"]}


def write(text):
    data = text if isinstance(text, bytes) else text.encode()
    while data:
        data = data[os.write(1, data) :]


def say(*frames):
    write("".join(json.dumps(frame) + "\n" for frame in frames))


def listen():
    for line in sys.stdin.buffer:
        yield json.loads(line)


def serve():
    """Answer every call, by what its arguments ask for, until the host parts."""
    for frame in listen():
        if frame["type"] == "event":
            say({"type": "notify", "level": "info", "message": frame["text"]})
        elif frame["type"] == "shutdown":
            return say({"type": "shutdown_ack"})
        elif "id" in frame:
            answer(frame)
    return None


def answer(frame):
    wanted, id = frame.get("args") or frame["event"], frame["id"]
    reply = {"type": "command_response", "id": id, "action": "display", "display": wanted}
    if wanted == "die":
        os._exit(3)
    elif wanted == "be killed":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif wanted == "twice":
        say(reply, reply)
    elif wanted == "stranger":
        say({**reply, "id": "nobody"}, reply)
    elif wanted == "malformed":
        say({**reply, "display": 7})
    elif wanted == "another kind":
        say({"type": "tool_result", "id": id, "content": []})
    elif wanted == "no reply":
        say({"type": "notify", "level": "info", "message": f"heard {id}"})
    elif wanted.startswith("answer "):
        say({**reply, "id": wanted.removeprefix("answer ")}, reply)
    elif wanted == "tool_call":
        say({"type": "event_intercept_response", "id": id})
    else:
        say(reply)


def wait():
    while True:
        time.sleep(1000)


def child():
    """A process that holds our pipes and does nothing else."""
    return subprocess.Popen([sys.executable, "-I", "-S", "-c", "import time; time.sleep(1000)"]).pid


def hello_and(*frames):
    """Say hello and more, and serve."""
    say(HELLO, *frames)
    serve()


def first(line):
    write(bytes.fromhex(line))
    serve()


def note(text):
    return {"type": "notify", "level": "info", "message": text}


def burst(count):
    say(HELLO)
    write("".join(f'{{"type":"notify","level":"info","message":"{number}"}}\n' for number in range(int(count))))


def slow():
    """Read a little at a time, with a rest after each."""
    say(HELLO)
    read = 0
    while piece := os.read(0, 8192):
        read += len(piece)
        time.sleep(0.01)
    print("read", read, file=sys.stderr)


def await_signal(*frames):
    """Say these frames, then nothing until SIGUSR1."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    say(*frames)
    print("waiting", file=sys.stderr, flush=True)
    signal.sigwait([signal.SIGUSR1])


def nap():
    """Read nothing for a while."""
    await_signal(HELLO)
    serve()


def late():
    await_signal()
    hello_and()


def close_output():
    say(HELLO)
    next(listen())
    os.close(1)
    wait()


def close_input():
    say(HELLO)
    os.close(0)
    say(note("closed"))
    wait()


def ignore():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    say(HELLO, note(str(child())))
    wait()


def part_slowly():
    say(HELLO)
    for frame in listen():
        if frame["type"] == "shutdown":
            say(note("parting"), {"type": "shutdown_ack"})
            sys.stdin.buffer.read()
            print("cleaned up", file=sys.stderr)


def say_where():
    print("to the log", file=sys.stderr, flush=True)
    hello_and(note(json.dumps([os.getcwd(), os.getsid(0) == os.getpid()])))


WAYS = {
    "serve": hello_and,
    "mute": wait,
    "first": first,
    "early": lambda: hello_and({"type": "register_command", "name": "x"}, {"type": "ready"}),
    "oversized": lambda: hello_and(note("x" * (10 << 20)), note("after")),
    "burst": lambda count: (burst(count), serve()),
    "burst and exit": burst,
    "same noise": lambda count: (say(HELLO), write("no frame\n" * int(count)), serve()),
    "deaf": lambda: (say(HELLO), wait()),
    "slow": slow,
    "nap": nap,
    "late": late,
    "closes output": close_output,
    "closes input": close_input,
    "leaves a child": lambda: hello_and(note(str(child()))),
    "ignores": ignore,
    "parts slowly": part_slowly,
    "says where": say_where,
}

if __name__ == "__main__":
    WAYS[sys.argv[1]](*sys.argv[2:])
