"""`write_wheel`: a package in a wheel, made without any tool, so that no test needs a network."""

import base64
import hashlib
from pathlib import Path
from zipfile import ZipFile


def write_wheel(folder: Path, name: str = "tiny", version: str = "1.0", source: str = "WORD = 'tiny'\n") -> Path:
    """Write the wheel of a package with one module and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": source,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    rows = [f"{file},sha256={_digest(text)},{len(text.encode())}" for file, text in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,"]) + "\n"
    with ZipFile(path, "w") as wheel:
        for file, text in files.items():
            wheel.writestr(file, text)
    return path


def _digest(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
