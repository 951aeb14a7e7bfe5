"""A small OpenID Connect provider on this machine: `python -m tests.browser.identity PORT`.

Who signs in next is what was last sent to ``POST /next`` (claims as JSON). It does what a real provider does, as far as
a client can see: discovery, code flow, signed ID tokens with the client's nonce, single-use codes, sign-out.
"""

from __future__ import annotations

import json
import secrets
import sys
import time
import urllib.request
from typing import Any

import uvicorn
from joserfc import jwk, jwt
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route


def application(issuer: str) -> Starlette:
    """The provider under that address."""
    key = jwk.RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"})
    codes: dict[str, dict[str, Any]] = {}
    following: dict[str, Any] = {}

    async def discovery(_: Request) -> Response:
        return JSONResponse({
            "issuer": issuer, "authorization_endpoint": f"{issuer}/authorize", "token_endpoint": f"{issuer}/token",
            "jwks_uri": f"{issuer}/jwks", "end_session_endpoint": f"{issuer}/end",
            "response_types_supported": ["code"], "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"], "code_challenge_methods_supported": ["S256"],
        })  # fmt: skip

    async def choose(request: Request) -> Response:
        following.clear()
        following.update(await request.json())
        return JSONResponse(following)

    async def authorize(request: Request) -> Response:
        asked = request.query_params
        code = secrets.token_hex(16)
        codes[code] = {"nonce": asked.get("nonce"), "aud": asked["client_id"], **following}
        return RedirectResponse(f"{asked['redirect_uri']}?code={code}&state={asked['state']}", 302)

    async def token(request: Request) -> Response:
        form = await request.form()
        claims = codes.pop(str(form["code"]), None)
        if claims is None:
            return JSONResponse({"error": "invalid_grant"}, 400)
        now = int(time.time())
        told = {"iss": issuer, "sub": "someone", "iat": now, "exp": now + 300, **claims}
        signed = jwt.encode({"alg": "RS256", "kid": "one"}, told, key)
        return JSONResponse({"access_token": "none", "token_type": "Bearer", "expires_in": 300, "id_token": signed})

    async def keys(_: Request) -> Response:
        return JSONResponse({"keys": [key.as_dict(private=False)]})

    async def end(request: Request) -> Response:
        return RedirectResponse(request.query_params["post_logout_redirect_uri"], 302)

    return Starlette(routes=[
        Route("/.well-known/openid-configuration", discovery), Route("/authorize", authorize),
        Route("/token", token, methods=["POST"]), Route("/jwks", keys), Route("/end", end),
        Route("/next", choose, methods=["POST"]),
    ])  # fmt: skip


def next_is(issuer: str, **claims: Any) -> None:
    """Tell a running provider who signs in next."""
    body = json.dumps(claims).encode()
    request = urllib.request.Request(f"{issuer}/next", body, {"Content-Type": "application/json"}, method="POST")
    with urllib.request.urlopen(request, timeout=10) as answer:
        assert answer.status == 200


if __name__ == "__main__":
    PORT = int(sys.argv[1])
    uvicorn.run(application(f"http://127.0.0.1:{PORT}"), host="127.0.0.1", port=PORT, log_level="warning")
