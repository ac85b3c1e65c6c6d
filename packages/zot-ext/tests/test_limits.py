from zot_ext import DEFAULT_LIMITS, ExtensionLimits


def test_the_defaults_are_the_documented_limits() -> None:
    assert (
        ExtensionLimits(
            frame_bytes=4_194_304,
            hello_seconds=30.0,
            ready_idle_seconds=0.25,
            ready_total_seconds=3.0,
            tool_seconds=60.0,
            intercept_seconds=5.0,
            command_seconds=30.0,
            shutdown_seconds=2.0,
            kill_seconds=1.0,
            drain_seconds=1.5,
            write_seconds=5.0,
            queue_frames=256,
            queue_bytes=16_777_216,
            system_prompt_bytes=1_048_576,
            observation_bytes=262_144,
            observation_blocks=128,
        )
        == DEFAULT_LIMITS
    )


def test_one_limit_can_be_changed_alone() -> None:
    assert ExtensionLimits(tool_seconds=0.1).tool_seconds == 0.1
    assert ExtensionLimits(tool_seconds=0.1).hello_seconds == DEFAULT_LIMITS.hello_seconds


def test_the_waits_for_an_extension_become_longer_together() -> None:
    longer = ExtensionLimits(tool_seconds=3.0).longer(10)
    assert (longer.tool_seconds, longer.hello_seconds, longer.editor_key_seconds) == (30.0, 300.0, 0.5)
    assert (longer.kill_seconds, longer.frame_bytes) == (DEFAULT_LIMITS.kill_seconds, DEFAULT_LIMITS.frame_bytes)
