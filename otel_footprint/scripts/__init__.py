"""Programs that travel with the answer: the ledger, the selection, the attachment, its reader.

All pure and synchronous. Who runs a turn (`run`, for the adapters) calls it in this order:

1. One `Ledger(scripts, redact, digest)` a turn, when `Scripts` were declared. `redact` is the
   redaction in force (hook and rules), `digest` is keyed where the deployment has a key.
2. A response is read: for each tool call in it, in order, `key = ledger.submitted(call_id, tool,
   arguments)`. None: the tool is not declared. Code that the provider ran itself enters here too,
   with `ledger.ran(call_id, tool, language, text, label, exit_code)`, once per item.
3. The call reaches its tool: `ledger.started(key)`. A call whose arguments the tool refuses
   before it runs is not started: it stays `submitted` and never travels.
4. Its outcome: `ledger.ended(key, "completed", exit_code_of(result))`, whatever the exit code;
   `failed` when the tool itself raised; `timed_out`, `cancelled`. Where only results come back (a
   hand-written loop), a result in the next request means started and completed;
   `ledger.key_of(call_id)` finds the row.
5. A response that asks for no tool ends the turn: `attachment = attach(select(ledger), answer,
   typed=..., kept=...)`. `answer` is the whole text of its last text part, of a stream as
   assembled. `typed`: an output schema is in force. `kept`: the content mode puts texts on the
   record. A response that asks for a tool gets nothing.
6. When `attachment.appended` is not empty it is put behind that text, in a copy of the same type
   (`records.plan.EndAnswer`), or sent as the last chunk of a stream, and `memory.remember(
   attachment.appended)` is told. When it is empty the answer is handed on untouched.
7. On the turn's span, always, also with nothing attached: `footprint.answer.attached` with
   `attachment_fields(attachment.record)` under the names of `telemetry.names.ATTACHMENT_FIELDS`,
   and for each program `footprint.script.attached` with `script_fields(attachment.record, i)`
   under those of `SCRIPT_FIELDS`.
8. Assistant texts of later requests: `find(text, memory)` tells where our text begins; from there
   on it was written by the library, neither by the model nor by a person.

Reading back: `value_of` makes the recorded value of the events' fields, `recorded_scripts(value,
within)` reads it and counts what is unread, `rebuild` gives the attached text, byte for byte.
"""

from ..records.script_fields import attachment_fields, script_fields, value_of
from ..records.script_reader import recorded_scripts
from ..records.script_text import rebuild
from . import sentences  # registers them
from .attachment import Attachment, attach
from .declaration import Scripts
from .ledger import Ledger
from .outcome import exit_code_of
from .recognition import Memory, find
from .selection import select

__all__ = [
    "Attachment", "Ledger", "Memory", "Scripts", "attach", "attachment_fields", "exit_code_of",
    "find", "rebuild", "recorded_scripts", "script_fields", "select", "sentences", "value_of",
]  # fmt: skip
