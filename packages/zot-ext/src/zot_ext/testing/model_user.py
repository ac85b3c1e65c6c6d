"""`FakeModelUser`: the part of `FakeHost` that uses the providers of an extension."""

from __future__ import annotations

from zot_ext.protocol.groups.providers import (
    ProviderEvent,
    ProviderInput,
    ProviderQuestion,
    ProviderResult,
    ProviderStep,
    ProviderStream,
    RegisterProvider,
)
from zot_ext.protocol.raw import RawObject
from zot_ext.testing.fake_pipe import ExtensionPipe


class FakeModelUser(ExtensionPipe):
    """A base class of `FakeHost`."""

    def model_call(self, provider: str, model: str, text: str = "hi", **options: object) -> list[ProviderEvent]:
        """Ask a model of the extension and return the whole answer, whose last event is `done` or `error`. `options`
        are members of `ProviderStream`, and `messages` in place of `text`."""
        own = [{"role": "user", "content": [{"type": "text", "text": text}]}]
        context = {"system": "", "messages": options.pop("messages", own), "tools": options.pop("tools", [])}
        question = ProviderStream(
            self.new_id(), provider, model, RawObject.from_value(context), RawObject.from_value(options)
        )
        self.send(question)
        ends = ("done", "error")
        self.wait_for(ProviderEvent, lambda event: event.id == question.id and event.event in ends)
        return [event for event in self.sent(ProviderEvent) if event.id == question.id]

    def list_models(self, provider: str, api_key: str = "") -> ProviderResult:
        result: ProviderResult = self.ask(
            ProviderQuestion(self.new_id(), provider, "models", api_key), ProviderResult, self.limits.tool_seconds
        )
        return result

    def sign_in(self, provider: str, *answers: str) -> tuple[list[ProviderStep], ProviderResult]:
        """Sign in to a provider; each question gets the next of `answers`. Return what was shown, and the result."""
        question, left = ProviderQuestion(self.new_id(), provider, "login"), list(answers)
        self.send(question)
        for number, answer in enumerate(left, 1):
            self.wait_for(ProviderStep, lambda step: step.id == question.id and step.ask, count=number)
            self.send(ProviderInput(question.id, answer))
        result = self.wait_for(ProviderResult, lambda reply: reply.id == question.id)
        return [step for step in self.sent(ProviderStep) if step.id == question.id], result

    def refresh(self, provider: str, **credentials: object) -> ProviderResult:
        question = ProviderQuestion(self.new_id(), provider, "refresh", credentials=RawObject.from_value(credentials))
        result: ProviderResult = self.ask(question, ProviderResult, self.limits.tool_seconds)
        return result

    @property
    def providers(self) -> dict[str, RegisterProvider]:
        return {frame.name: frame for frame in self.sent(RegisterProvider)}
