"""The last chunk of a token stream (`stream_mode="messages"`).

The stream hands out what the model says, and of a node's output only messages of which it has
said nothing. So a text that is put under an answer follows as one more chunk of that message.
"""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk
from langgraph.config import get_config

from ...telemetry.guard import guard

_HANDLER: Any
try:
    from langgraph.pregel._messages import StreamMessagesHandler

    _HANDLER = StreamMessagesHandler
except ImportError:  # there is no public name for it: the message in the state carries the text
    _HANDLER = ()


def follow(id_: str | None, text: str) -> None:
    """Hands out `text` behind a message that was streamed from the node that is running."""
    with guard("langchain.stream"):
        callbacks = get_config().get("callbacks")
        node = getattr(callbacks, "parent_run_id", None)
        for handler in getattr(callbacks, "handlers", ()):
            if node is not None and isinstance(handler, _HANDLER) and id_ in handler.seen:
                chunk = ChatGenerationChunk(message=AIMessageChunk(content=text, id=id_))
                handler.on_llm_new_token(text, chunk=chunk, run_id=node)
