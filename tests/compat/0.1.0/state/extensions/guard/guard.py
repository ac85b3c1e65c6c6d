#!/usr/bin/env python3
from zot_ext import Extension, block
ext = Extension("guard", "1.0.0")

@ext.intercept("tool_call", on_error="block", on_exit="block")
def no_sudo(call):
    return block("no sudo here") if "sudo" in str(call.args) else None

@ext.command("greet", "say hello")
def greet(args: str):
    return "hello"

ext.run()
