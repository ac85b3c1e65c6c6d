"""Replaces itself with the real `zot_ext`: the one installed in this interpreter, or else the one of zot.

zot adds the parent folder to the PYTHONPATH of extensions. PYTHONPATH precedes installed packages, so this module
searches for an installed `zot_ext`. It may be imported by any Python 3; the real package needs 3.11.
"""


def _become(name: str, file: str) -> None:
    import os  # noqa: PLC0415  the module must contain only the names of the real one
    import sys  # noqa: PLC0415

    folder = os.path.dirname(os.path.dirname(os.path.abspath(file)))
    places = [place for place in sys.path if os.path.abspath(place or os.curdir) != folder]
    home = os.environ.get("ZOT_EXT_PATH")
    for path in (places, [os.path.dirname(home)] if home else []):
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path)
            # A folder of that name without an __init__.py has no origin; it is not the package.
            if spec is not None and spec.loader is not None and spec.origin:
                module = sys.modules[name]
                members = vars(module)
                del members["_become"]
                members.update(
                    __spec__=spec,
                    __loader__=spec.loader,
                    __file__=spec.origin,
                    __cached__=spec.cached,
                    __path__=spec.submodule_search_locations,
                )
                spec.loader.exec_module(module)
                return
        if sys.version_info < (3, 11):  # noqa: UP036  extensions may run in any interpreter
            raise ImportError("zot_ext needs Python 3.11 or newer, and this is " + sys.version.split()[0])
    raise ModuleNotFoundError("No module named 'zot_ext'", name=name)


_become(__name__, __file__)
