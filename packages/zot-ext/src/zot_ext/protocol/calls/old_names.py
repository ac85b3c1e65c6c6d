"""Names of methods and commands before the first release; docs/rpc.md has the table."""

from __future__ import annotations

_NAMES = """
    get_tree:session.tree go_to:session.navigate undo:session.undo redo:session.redo diff:session.diff
    fork:session.fork set_label:session.label new_session:session.new list_sessions:session.list
    search_sessions:session.search show_session:session.show open_session:session.open
    rename_session:session.rename delete_session:session.delete export_session:session.export
    import_session:session.import list_models_all:model.list set_tools:tools.set steer:prompts.steer
    follow_up:prompts.follow_up get_context:control.context get_commands:control.commands command:control.run
    reload_ext:control.reload get_agents:agents.list get_agent_messages:agents.messages steer_agent:agents.steer
    stop_agent:agents.stop get_jobs:jobs.list stop_job:jobs.stop list_runs:runs.list answer_run:runs.answer
    get_settings:settings.list set_setting:settings.set permission_response:permissions.answer
    set_permission_mode:permissions.mode session.clone:session.fork session.switch:session.open
"""

OLD_NAMES = dict(each.split(":") for each in _NAMES.split())
