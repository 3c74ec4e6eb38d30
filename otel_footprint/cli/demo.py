"""`otel-footprint demo`: a scripted support agent whose answer comes out wrong, and its trail.

A real OpenAI client, whose HTTP transport is answered here: offline, without a key, the same every
time. The loop is a hand-written one, as anybody might have it.
"""

from __future__ import annotations

import os
import shutil
import sys
from argparse import Namespace
from importlib import import_module
from pathlib import Path
from typing import Any

from ..errors import MissingExtraError
from . import demo_script as script

MODEL = "gpt-4o-mini"


def run(args: Namespace) -> int:
    """Runs the agent, writes its trail to `args.file`, prints the tree and what to run next."""
    import otel_footprint as footprint

    if os.path.exists(args.file):
        os.unlink(args.file)
    configured = footprint.configure(file=args.file, service_name="support-agent", metrics=False)
    fp = footprint.Footprint(
        "support", content="full", budget=footprint.Budget(messages=1500, tools=1500)
    )
    answer = agent(fp, fp.wrap(client()))
    configured.shutdown()
    return _show(args, answer)


def agent(fp: Any, client: Any) -> str:
    """The agent loop: asks the model, runs the tools that it asks for, until it answers."""

    def get_order(order_id: str, section: str) -> str:  # noqa: ARG001
        return script.ORDERS[section]

    def search_policy(query: str) -> str:
        return script.POLICIES[query]

    fp.tool(get_order)
    fp.tool(search_policy)
    messages: list[Any] = [{"role": "system", "content": text} for text in script.SYSTEM]
    messages.append({"role": "user", "content": script.QUESTION})
    with fp.turn(script.QUESTION, conversation="demo", action_budget=10) as turn:
        while True:
            response = client.chat.completions.create(
                model=MODEL, messages=messages, tools=script.TOOLS, temperature=0
            )
            message = response.choices[0].message
            messages.append(message.to_dict())
            if not message.tool_calls:
                return str(message.content)
            for call in message.tool_calls:
                result = turn.tool(call)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


def client() -> Any:
    """A real OpenAI client over a local transport."""
    try:
        import openai
    except ImportError as error:
        raise MissingExtraError("The demo", "demo") from error
    http = http_module(openai)
    steps = iter(range(10_000))

    def answer(_request: Any) -> Any:
        return http.Response(200, json=script.reply(next(steps)))

    return openai.OpenAI(
        api_key="demo",
        base_url="http://localhost/v1",
        max_retries=0,
        http_client=http.Client(transport=http.MockTransport(answer)),
    )


def http_module(sdk: Any) -> Any:
    """The HTTP library of an SDK: httpx2 since openai 3 and anthropic 2, before that httpx."""
    base = import_module(f"{sdk.__name__}._base_client")
    return getattr(base, "httpx2", None) or base.httpx


def _show(args: Namespace, answer: str) -> int:
    from ..trail import load
    from .show import print_trail

    code = print_trail(load([args.file]), args.color)
    out = sys.stdout
    out.write(f"\nThe agent answered: {answer}\n")
    out.write("That is wrong: no restocking fee applies. The trail above holds the page it read.\n")
    out.write(f'\nNext: {_program()} why {args.file} "15 %"\n')
    return code


def _program() -> str:
    """What to type for this program: its name, or as it was called where its name is not found."""
    name = "otel-footprint"
    called = sys.argv[0]
    here = shutil.which(name) is None and Path(called).name == name and Path(called).is_file()
    return called if here else name
