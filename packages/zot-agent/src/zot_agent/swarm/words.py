"""The state of a member, in words."""

from zot_agent.swarm.member import Member

_ARGUMENT = 200


def status(member: Member) -> str:
    """Return its state in words."""
    if member.state == "failed":
        return f"failed: {member.error}".removesuffix(": ")
    return "waits for an answer" if member.state == "asking" else member.state


def question_text(member: Member) -> str:
    """Return the call that waits for an answer, and why it does; empty without one."""
    question = member.question
    if question is None:
        return ""
    args = question.get("args")
    values = [str(each) for each in args.values()] if isinstance(args, dict) else []
    call = f"{question.get('tool', '')} {' '.join(' '.join(values).split())[:_ARGUMENT]}".strip()
    return f"{call} ({question.get('reason', '')})"
