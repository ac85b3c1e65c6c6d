#!/usr/bin/env python3
"""A provider with its own sign-in: this program gets tokens (RFC 8628), zot keeps them and speaks to the models."""

import json
import os
import time
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen

from zot_ext import Extension, SignInEnded, SignInPage, SignInTokens

SERVER = os.environ.get("CLUB_URL", "https://club.example")
CLIENT = "zot-club"
ext = Extension("club", "1.0.0")
club = ext.provider("club")


@club.login
def login(page: SignInPage) -> SignInTokens:
    device = post("device", client_id=CLIENT)
    page.show(url=device["verification_uri"], user_code=device["user_code"])
    ends = time.monotonic() + device["expires_in"]
    grant = "urn:ietf:params:oauth:grant-type:device_code"
    while time.monotonic() < ends and not ext.cancelled:
        time.sleep(device["interval"])
        answer = post("token", grant_type=grant, device_code=device["device_code"], client_id=CLIENT)
        if "access_token" in answer:
            return credentials(answer)
        if answer.get("error") != "authorization_pending":
            raise SignInEnded(f"the sign-in was refused: {answer.get('error')}")
    raise SignInEnded("the code has expired; start again")


@club.refresh
def refresh(old: SignInTokens) -> SignInTokens:
    answer = post("token", grant_type="refresh_token", refresh_token=old.refresh, client_id=CLIENT)
    if "access_token" not in answer:
        raise SignInEnded("the membership has ended")
    return credentials(answer)


@ext.command("club", "show where members sign in")
def show(_: str) -> str:
    return f"members sign in at {SERVER}"


def credentials(answer: dict[str, Any]) -> SignInTokens:
    expires = int(time.time() + answer["expires_in"])
    return SignInTokens(answer["access_token"], answer["refresh_token"], expires)


def post(path: str, **fields: str) -> dict[str, Any]:
    """Post fields to the server and return its answer, which may name an error."""
    try:
        with urlopen(f"{SERVER}/{path}", urlencode(fields).encode(), timeout=20) as answer:
            found: dict[str, Any] = json.load(answer)
    except HTTPError as error:
        found = json.load(error)
    return found


if __name__ == "__main__":
    ext.run()
