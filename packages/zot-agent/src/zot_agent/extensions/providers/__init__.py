"""Providers of models that extensions serve. Nothing of it is imported before the manifest of an extension names one.

```text
provider_service  `ServedProviders`: who serves which provider, in the registry of models
frames            its frames that are no answers: what it registers
offer             a provider and its models, read from a manifest or a frame
client            `ExtensionClient`: the client of a provider whose answers come from an extension
answers           `OpenAnswers`: the answers that an extension is giving
decode            frames of an answer -> events;  context: a request -> frame
sign_in           `ExtensionSignIn`: a sign-in that an extension carries out
```
"""
