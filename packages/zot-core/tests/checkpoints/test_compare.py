"""What a session changed."""

from pathlib import Path

from saved_work import bash, opens_in


async def test_the_diff_is_from_before_the_session_to_now(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "long").write_text("".join(f"{number}\n" for number in range(5000)))
    (work / "breaks").write_bytes(b"a\nb\n")
    (work / "run").write_text("x\n")
    (work / "huge").write_text("x" * 1_100_000)
    (work / "same").write_text("same")
    first = bash("sed -i 's/^7$/seven/; s/^4000$/x/' long; rm same; ln -s long link")
    second = bash("printf same > same; printf 'a\\r\\nb\\r\\n' > breaks; chmod +x run; : > huge")
    async with opens_in(work)(first, "one", second, "two") as rt:
        assert await rt.branches.diff() == []
        await rt.ask("one")
        await rt.ask("two")
        found = {Path(each.path).name: each for each in await rt.branches.diff()}
        assert sorted(found) == ["breaks", "huge", "link", "long", "run"]
        assert found["long"].diff.split("\n") == [
            *(" 4", " 5", " 6", "-7", "+seven", " 8", " 9", " 10", "..."),
            *(" 3997", " 3998", " 3999", "-4000", "+x", " 4001", " 4002", " 4003"),
        ]
        assert found["long"].starts == [(5, 5), (3998, 3998)]
        assert (found["long"].added, found["long"].removed) == (2, 2)
        assert (found["link"].status, found["link"].diff) == ("created", "+long")
        assert {name: each.note for name, each in found.items() if each.note} == {
            "breaks": "only line breaks differ",
            "huge": "too large to be shown",
            "run": "now executable",
        }
