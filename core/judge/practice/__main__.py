"""`python -m core.judge.practice`: start the practice judge on this machine."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

import click
import uvicorn

from core.judge.practice import PRACTICE_MODEL, PRACTICE_URL
from core.judge.practice.app import make_app


@click.command()
@click.option("--port", default=urlsplit(PRACTICE_URL).port, show_default=True, help="0 takes a free one.")
@click.option("--latency-ms", default=0.0, help="How long an answer takes.")
@click.option("--scenarios", is_flag=True, help="For tests: answer to models named test-… with failures.")
def main(port: int, latency_ms: float, scenarios: bool) -> None:
    """Serve the practice judge: both providers' protocols, no model behind them, no key needed.

    It listens on 127.0.0.1 only and prints its address as its first line.
    """
    # The protocol is named because asyncio only then turns Nagle's algorithm off, which costs 40 ms an answer.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
    except OSError as error:
        raise click.ClickException(f"port {port} cannot be used: {error.strerror}") from None
    listening.listen(256)
    click.echo(f"http://127.0.0.1:{listening.getsockname()[1]}  practice judge (model {PRACTICE_MODEL}, no real model)")
    config = uvicorn.Config(
        make_app(scenarios=scenarios, latency=latency_ms / 1000),
        log_level="critical" if scenarios else "warning",  # a scenario that breaks a connection is no news
        access_log=False,
        lifespan="off",
    )
    uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    main()
