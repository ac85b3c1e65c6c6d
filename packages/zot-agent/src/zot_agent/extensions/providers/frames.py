"""`receive_provider_frame`: the frames of an extension about the providers that it serves."""

from typing import TypeAlias

from zot_agent.extensions.connection import Connection
from zot_agent.extensions.hooks.registrations import OwnRegistrations
from zot_agent.extensions.registry import ProviderRegistrations, RegistrationError
from zot_ext.protocol.groups.providers import ProviderEvent, ProviderStep, RegisterProvider, UnregisterProvider

ProviderFrame: TypeAlias = RegisterProvider | UnregisterProvider | ProviderEvent | ProviderStep


def receive_provider_frame(
    member: OwnRegistrations, connection: Connection, frame: ProviderFrame, served: ProviderRegistrations | None
) -> None:
    """Handle a frame; `served` are the providers of all extensions."""
    if isinstance(frame, ProviderEvent | ProviderStep):
        connection.answers.received_frame(frame)
        return
    try:
        if served is None:
            raise RegistrationError(f"the provider {frame.name!r} is not in 'providers' of the manifest")
        if isinstance(frame, UnregisterProvider):
            served.unregister(member.name, frame.name)
            return
        for warning in served.register(member.name, frame.name, frame.config.value):
            member.log(warning)
    except RegistrationError as error:
        member.refuse("provider", frame.name, str(error))
    else:
        member.accept("provider", frame.name)
