"""Every span, event, attribute and metric name, with what it holds. Nothing else spells one.

Names that start with `gen_ai.`, `error.` and `user.` are those of the OpenTelemetry
conventions (semantic-conventions-genai, newest spelling); all others are ours and start with
`footprint.`. `CATALOG` is the same as data: documentation, dashboards and tests are made from it.
Importing this module imports no OpenTelemetry.
"""

from __future__ import annotations

from .arguments import *  # noqa: F403
from .catalog import CATALOG as CATALOG
from .catalog import FORMAT as FORMAT
from .catalog import SCOPE as SCOPE
from .catalog import Entry as Entry
from .catalog import Type as Type
from .content import CONTENT as CONTENT
from .context import *  # noqa: F403
from .metrics import *  # noqa: F403
from .scripts import *  # noqa: F403
from .trail import *  # noqa: F403
