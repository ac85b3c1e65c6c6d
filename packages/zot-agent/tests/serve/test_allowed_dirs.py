"""The directories in which sessions may work."""

from pathlib import Path

from served import Serving


async def test_a_directory_may_be_any_below_a_root_and_links_are_followed_first(
    serving: Serving, alone: Path, tmp_path: Path
) -> None:
    (alone / "below").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "second" / "deep").mkdir(parents=True)
    (tmp_path / "work-beside").mkdir()
    (alone / "out").symlink_to(tmp_path / "elsewhere")
    (alone / "in").symlink_to(alone / "below")
    async with serving(roots=[str(alone), str(tmp_path / "second")]) as served:
        for cwd, found in (
            ("below", alone / "below"),
            ("in", alone / "below"),
            (str(tmp_path / "second" / "deep"), tmp_path / "second" / "deep"),
            ("./below/..", alone),
        ):
            answer = await served.http.post("/sessions", json={"cwd": cwd})
            assert answer.json()["cwd"] == str(found)
        for cwd in ("out", "in/../../elsewhere", str(tmp_path / "work-beside"), str(tmp_path)):
            assert (await served.http.post("/sessions", json={"cwd": cwd})).status_code == 403
