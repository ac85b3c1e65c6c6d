"""An extension written with `zot_ext`."""

from zot_ext import Extension, display

ext = Extension("sdk", "1.0.0")


@ext.command("shout", "say it louder")
def shout(args):
    print("this is no frame")
    return display(args.upper())


ext.run()
