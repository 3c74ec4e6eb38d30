"""Declared sources of tool arguments: planted, read, checked, and the rules of their authors.

Everything here is pure: values in, values out, nothing is written and nothing waits. `run` and
the adapters call it in this order.

1. *Declare.* `Arguments(...)` is refused where it is written. At `wrap`, `require_asker` refuses
   rules that ask where nobody can be asked, and `Bindings.bind(tool, schema)` refuses rules that
   do not fit a tool known beforehand. Tools first seen in a request go through
   `Bindings.learn(tool, schema)`, which never raises.
2. *Plant.* For each request, for each tool whose execution passes through us and for which
   `Arguments.plants(tool)` is true: `Planter.plant(tool, schema, strict)`; one `Planter` a run,
   so that the served schema stays the same object. `Planted.edit(tool)` is the same as an edit of
   a plan. Keep `planted` and `strict` by tool for step 3; a tool that is not planted is a
   `footprint.offer.withheld` with its reason.
3. *Peel, read, check, decide.* When the model has asked for tools, `build_corpus(passages, ...)`
   makes the corpus of what was in front of it, and `decide(calls, bindings, corpus, state)` does
   the rest for the whole batch. With `Decision.ask` set nothing runs: write its rows
   (`footprint.argument.asked`), put `ask.payload()` to the person, give the replies to
   `accept(state, replies, ...)` and decide again. Without it, each `Decided` says what its tool
   runs with (the model's own object when nothing was taken out), which notes go behind the result,
   or which text stands in place of it. Keep `Decision.state` with the conversation.
4. *After other middleware.* `rewritten(decided, final_arguments)` gives the rows when something
   changed the arguments behind us.
5. *Write.* One `footprint.argument.source` event a row on the tool's span:
   `{ARGUMENT_FIELDS[k]: v for k, v in row.fields(content).items()}`, names from
   `telemetry.names`; content only in mode `full` (through the redactor). `Decided.malformed` and
   `Decided.left_out` go on the tool's span. The metric counts `row.verdict`.
6. *Link.* From the tool's span to the spans that produced `row.produced_by` (tool call ids), with
   link type `source`.
7. *Stand.* `standing(rows of the turn)` when the turn ends: `turn.standing` and
   `footprint.answer.standing`.

Where tools do not run through us, and on foreign traces: `call_hints(tool, call_id, arguments,
Prepared(corpus))` gives rows of hints for every value of a call; steps 5 and 6 are the same.
Texts are prepared once in a `SearchCache`; hand in hashes as keys.
"""

from ..records.arguments import RESERVED, ArgumentRow, Ask, Corpus, Standing
from .asking import AskState, accept
from .bind import require_function
from .check import Subject, check
from .corpus import Passage, build_corpus
from .decide import Decided, Decision, ToolCall, decide, rewritten
from .declaration import Arguments, Bindings
from .plant import Planter, plant, unplant
from .prepared import Prepared
from .reader import peel, read_sources
from .rows import call_hints
from .standing import standing

__all__ = [
    "RESERVED",
    "ArgumentRow",
    "Arguments",
    "Ask",
    "AskState",
    "Bindings",
    "Corpus",
    "Decided",
    "Decision",
    "Passage",
    "Planter",
    "Prepared",
    "Standing",
    "Subject",
    "ToolCall",
    "accept",
    "build_corpus",
    "call_hints",
    "check",
    "decide",
    "peel",
    "plant",
    "read_sources",
    "require_function",
    "rewritten",
    "standing",
    "unplant",
]
