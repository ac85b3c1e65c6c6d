"""/jobs: the commands that run in the background."""

from functools import partial

from zot_agent.ui.commands.base import Chat, SlashCommand
from zot_agent.ui.commands.follow_dialogs import ask_following
from zot_core.aio import spawn
from zot_core.display import TextDisplay
from zot_core.tools.background.jobs import Job
from zot_tui.text.sanitize import sanitize_line
from zot_tui.widgets.dialogs.picker import Picker, PickerItem, RowAction
from zot_tui.widgets.dialogs.questions import Pages
from zot_tui.widgets.transcript.blocks import render_block
from zot_tui.widgets.transcript.chunks import Chunk, wrapped


class JobPicker(Picker[Job]):
    """The jobs of the session, newest first. They can be stopped here."""

    def __init__(self, chat: Chat) -> None:
        self._chat, self._jobs = chat, chat.host.runtime.agent.context.jobs
        actions = (
            RowAction[Job](
                "ctrl+d",
                "stop",
                lambda job: spawn(self._stop(job), "stop job"),
                "stop this job?",
                lambda job: "" if job.state == "running" else "this job has ended",
            ),
        )
        super().__init__("Jobs", (), empty="no commands in the background", actions=actions)
        self.show()

    def show(self) -> None:
        jobs = reversed(self._jobs.all)
        self.set_items([PickerItem(job, f"{job.id}  {sanitize_line(job.command)}", detail=job.status) for job in jobs])

    async def _stop(self, job: Job) -> None:
        await self._jobs.stop(job)
        self.show()
        self._chat.app.redraw()


async def jobs(chat: Chat, _: str) -> None:
    """List the jobs; show the output of the chosen one until it is closed."""

    def working() -> object:
        return chat.host.runtime.agent.context.jobs.running

    while True:
        picker = JobPicker(chat)
        job = await ask_following(chat, picker, picker.show, working)
        if job is None:
            return
        pages = Pages(f"$ {sanitize_line(job.command)}", partial(_chunks, job))
        await ask_following(chat, pages, pages.reload, working)


def _chunks(job: Job) -> list[Chunk]:
    output = render_block(TextDisplay(job.output.since(0))).chunks
    return [*output, wrapped([[("muted", f"job {job.id}: {job.status}")]])]


COMMANDS = (SlashCommand("jobs", "", "show and stop commands in the background", "now", jobs),)
