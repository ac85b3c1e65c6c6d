from zot_core.agent.repeated_calls import RepeatedFailures
from zot_core.display import TerminalDisplay
from zot_core.events import ToolResultEvent
from zot_provider.messages import TextBlock, ToolCallBlock

CALL = ToolCallBlock("1", "read", '{"path": "x"}')


def failed(text: str = "no such file", fate: str = "ran") -> ToolResultEvent:
    return ToolResultEvent("1", "read", True, [TextBlock(text)], fate=fate)  # type: ignore[arg-type]


def shown(output: ToolResultEvent) -> str:
    return "".join(block.text for block in output.content if isinstance(block, TextBlock))


def test_from_the_third_time_on_a_sentence_comes_before_the_error() -> None:
    failures = RepeatedFailures()
    texts = [shown(failures.follow(CALL, failed())) for _ in range(5)]
    assert texts[:2] == ["no such file"] * 2
    assert [text.partition(" in the same way")[0] for text in texts[2:]] == [
        f"this call has failed {count} times" for count in (3, 4, 5)
    ]
    assert all(text.endswith("\n\nno such file") for text in texts[2:])


def test_how_long_a_command_took_makes_no_other_failure() -> None:
    failures, texts = RepeatedFailures(), []
    for number, said in enumerate(["2 failed in 0.12s", "2 failed in 11.3s", "2 failed in 7s", "3 failed in 1.2s"]):
        output = failed(f"{said}\n[exit 2] {number}.5s")
        output.display = [TerminalDisplay("make", f"12:00:0{number} {said}", 2, number + 0.5)]
        texts.append(shown(failures.follow(CALL, output)))
    assert ["has failed 3 times" in text for text in texts] == [False, False, True, False]


def test_a_long_error_keeps_its_ends() -> None:
    failures = RepeatedFailures()
    texts = [shown(failures.follow(CALL, failed("a" * 2000 + "reason"))) for _ in range(3)]
    assert len(texts[2]) < 1500
    assert texts[2].endswith("reason")


def test_another_error_a_success_and_a_new_conversation_begin_again() -> None:
    failures = RepeatedFailures()
    good = ToolResultEvent("1", "read", False, [TextBlock("text")])
    for between in (failed("another"), good):
        failures.follow(CALL, failed())
        failures.follow(CALL, failed())
        failures.follow(CALL, between)
        assert shown(failures.follow(CALL, failed())) == "no such file"
    failures.follow(CALL, failed())
    failures.clear()
    assert shown(failures.follow(CALL, failed())) == "no such file"


def test_calls_that_a_person_stopped_do_not_count() -> None:
    failures = RepeatedFailures()
    assert {shown(failures.follow(CALL, failed("aborted", "stopped"))) for _ in range(5)} == {"aborted"}


def test_the_memory_is_bounded() -> None:
    failures = RepeatedFailures()
    for number in range(1000):
        failures.follow(ToolCallBlock("1", "read", str(number)), failed())
    assert len(failures._failed) == 200
