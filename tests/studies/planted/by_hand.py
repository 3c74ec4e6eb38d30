"""Scenarios that were written one by one, each around one difficulty of its own.

Words for the pieces: `S` system, `F` let-in context, `H` history, `T` batches of tool calls, `Q`
the question, `A` the answer. The rest is filled up with innocent pieces of other matters.
"""

from __future__ import annotations

from random import Random
from typing import Any

from .scenario import Scenario, scenario

_NOISE = (
    "Quarterly figures go to the board on paper, copy {n}.",
    "Ticket {n}: the projector in the small hall flickers.",
    "The cafeteria serves soup until {m}:30.",
    "Bikes are locked at rack {n}, not at the fence.",
    "Please answer in the language of the question, rule {n}.",
    "Vendor list, line {n}: paper, pens, tape.",
    "Fire doors on level {m} stay shut.",
    "Interns have mentor {n} in their first month.",
    "Backup job {n} ran on server {m} without errors.",
    "Lost and found: umbrella, tag {n}.",
    "Water is tested each spring, sample {m}.",
    "Do not share calendars of team {n} with guests.",
    "The van with plate ending {n} is in the workshop.",
    "Slides of talk {m} are in folder {n}.",
    "Room plants are watered by team {n} in odd weeks.",
    "A spare key of drawer {m} is with the porter.",
)

P = dict[str, Any]


def _t(name: str, arguments: P, result: Any, as_: str = "") -> P:
    return {"name": name, "arguments": arguments, "result": result, **({"as": as_} if as_ else {})}


def _s(text: str, as_: str = "") -> P:
    return {"text": text, **({"as": as_} if as_ else {})}


def _f(source: str, id_: str, text: str, as_: str = "", from_: int = 1) -> P:
    return {"source": source, "id": id_, "text": text, "from": from_, "as": as_ or id_}


CASES: tuple[P, ...] = (
    {
        "name": "bare-answer", "kind": "fact", "value": "30", "truth": ["p"],
        "S": [_s("Ticket 30 is about the blinds.")],
        "F": [_f("fact", "notice", "Notice period of the gym: 30 days.", "p")],
        "Q": "How many days is the notice period of my gym contract?", "A": "30.",
    },
    {
        "name": "no-word-in-common", "kind": "tool-result", "value": "48,213", "truth": ["p"],
        "carried": "respelled",
        "T": [[_t("ledger", {"acct": "7"}, {"amount_due": 48213.0, "cur": "EUR"}, "p")]],
        "Q": "What do I owe?", "A": "In total you owe 48,213.",
    },
    {
        "name": "one-of-many-rows", "kind": "tool-result", "value": "412.50", "truth": ["p"],
        "S": [_s("Fuel surcharge of the ferry is 412.50 a month.")],
        "T": [
            [_t("search_flights", {"to": "Oslo"}, [
                {"flight": "NX 18", "to": "Oslo", "fare": 389.0},
                {"flight": "NX 22", "to": "Oslo", "fare": 412.5},
                {"flight": "NX 31", "to": "Oslo", "fare": 455.0}], "p")],
            [_t("hotel_rates", {"city": "Oslo"}, [{"hotel": "Fjord", "rate": 412.5}])],
        ],
        "Q": "What is the fare of NX 22 to Oslo?", "A": "NX 22 to Oslo costs 412.50.",
    },
    {
        "name": "upper-case-memory", "kind": "memory", "value": "Ilse Brandt", "truth": ["p"],
        "carried": "respelled",
        "F": [_f("memory", "m1", "EMERGENCY CONTACT OF THE USER: ILSE BRANDT, SISTER.", "p"),
              _f("memory", "m2", "The user met Ilse Brandt's namesake street in Kiel.", "d")],
        "Q": "Whom should the clinic ring in an emergency?",
        "A": "In an emergency the clinic should ring Ilse Brandt.",
    },
    {
        "name": "day-in-words", "kind": "tool-result", "value": "June 3rd, 2025", "truth": ["p"],
        "carried": "respelled",
        "S": [_s("The intranet was moved on 03/06/2025.")],
        "T": [[_t("warranty", {"serial": "Z9"}, {"no": "Z9", "warranty_end": "2025-06-03"}, "p")],
              [_t("service_log", {"serial": "Z9"}, "Last service on 2024-06-03.")]],
        "Q": "When does the warranty of Z9 end?", "A": "The warranty of Z9 ends on June 3rd, 2025.",
    },
    {
        "name": "percent-or-minutes", "kind": "instruction", "value": "15", "truth": ["p"],
        "F": [_f("instruction", "discount", "Offer 15 % off to customers who complain twice.", "p"),
              _f("steering", "pause", "Suggest a break of 15 minutes after long calls.", "d")],
        "T": [[_t("order", {"id": "A7"}, {"order": "A7", "complaints": 2})]],
        "Q": "I complain for the second time about A7!",
        "A": "I am sorry. You get 15 % off your order A7.",
    },
    {
        "name": "earlier-turn-tool", "kind": "earlier-turn", "value": "77", "truth": ["p"],
        "before": [{"ask": "What is the score of Mara?", "calls": [
            {"say": "I look.", "tools": [_t("score", {"who": "Mara"}, "Mara: 77 points", "p")]},
            {"say": "Mara has 77 points."}]}],
        "S": [_s("Bus 77 goes to the quarry.")],
        "Q": "And is that enough to pass?", "A": "Yes: Mara's 77 points are enough to pass.",
    },
    {
        "name": "told-before-the-trail", "kind": "earlier-turn", "value": "Hut 5", "truth": ["p"],
        "H": [{"role": "user", "text": "We sleep in Hut 5 this time.", "as": "p"},
              {"role": "assistant", "text": "Noted, you sleep in Hut 5."}],
        "S": [_s("Cleaning plan: Hut 5 on Tuesday.")],
        "Q": "Where do we sleep?", "A": "You sleep in Hut 5.",
    },
    {
        "name": "skill-then-argument", "kind": "skill", "value": "20", "truth": ["p"],
        "F": [_f("skill", "retention", "Retention: offer 20 percent to whoever cancels.", "p")],
        "S": [_s("Lane 20 of the pool is for schools.")],
        "T": [[_t("apply_discount", {"percent": 20, "customer": "C4"}, "20 percent for C4.")]],
        "Q": "I want to cancel, I am C4.", "A": "Stay with us: we gave you 20 percent.",
    },
    {
        "name": "chosen-limit", "kind": "argument", "value": "25", "truth": ["p.arguments"],
        "D": [("list_jobs", "Lists jobs; limit is for example 10.", {"limit": 10})],
        "S": [_s("Gate 25 is closed.")],
        "T": [[_t("list_jobs", {"limit": 25}, "25 jobs listed, more exist.", "p")]],
        "Q": "How many open jobs are there?", "A": "There are 25 open jobs.",
    },
    {
        "name": "example-in-a-schema", "kind": "tool-description", "value": "EU-WEST-3",
        "truth": ["p"], "carried": "respelled",
        "D": [("deploy", "Deploys a service; region is e.g. eu-west-3.", {"region": "x"}, "p")],
        "T": [[_t("deploy", {"region": "eu-west-3", "service": "mail"}, "mail deployed")]],
        "Q": "Deploy mail, and tell me the region.", "A": "Mail runs in region EU-WEST-3 now.",
    },
    {
        "name": "cut-document", "kind": "truncated", "value": "9,400", "truth": ["p"],
        "carried": "respelled",
        "H": [{"role": "user", "as": "p", "text": "Survey of the roof. Estimated cost 9400 francs "
               "for the south side only; " + "the north side was not looked at, see annex. " * 8}],
        "cut": {"p": 80},
        "S": [_s("Press run of 9,400 leaflets.")],
        "Q": "What will the roof cost?", "A": "The roof will cost 9,400 francs.",
    },
    {
        "name": "twice-in-one-sentence", "kind": "fact", "value": "2", "truth": ["p"],
        "F": [_f("fact", "family", "The family books 2 rooms.", "p"),
              _f("fact", "dog", "The dog is 2 years old.", "d")],
        "Q": "What did we book?", "A": "You booked 2 rooms.",
    },
    {
        "name": "label-only", "kind": "tool-result", "value": "6.4", "truth": ["p"],
        "S": [_s("Paper size 6.4 is out of stock.")],
        "T": [[_t("lab", {"patient": "P9"}, "K 3.9\nGlu 6.4\nNa 141", "p")],
              [_t("lab_history", {"patient": "P9"}, "Last year: Na 140, K 4.0")]],
        "Q": "What is the Glu value of P9?", "A": "The Glu value is 6.4.",
    },
    {
        "name": "two-documents-agree", "kind": "rag", "value": "1987", "truth": ["p", "w"],
        "F": [_f("rag", "doc-1", "Chronicle: the bridge of Arn was opened in 1987.", "p"),
              _f("rag", "doc-2", "Chronicle, reprint: the bridge of Arn was opened in 1987.", "w")],
        "Q": "When was the bridge of Arn opened?", "A": "The bridge of Arn was opened in 1987.",
    },
    {
        "name": "later-page-agrees", "kind": "tool-result", "value": "1,350", "truth": ["p"],
        "carried": "respelled",
        "T": [[_t("page", {"n": 1}, "Altitude of the pass: 1350 m.", "p")],
              [_t("page", {"n": 2}, "The pass (altitude 1350 m) is closed in winter.")],
              [_t("page", {"n": 3}, "Stamp collection: 1350 pieces.")]],
        "Q": "How high is the pass?", "A": "The altitude of the pass is 1,350 m.",
    },
    {
        "name": "handed-on-by-arguments", "kind": "tool-result", "value": "ORD-5512",
        "truth": ["p"],
        "T": [[_t("find_order", {"customer": "Lund"}, {"for": "Lund", "order": "ORD-5512"}, "p")],
              [_t("ship", {"order": "ORD-5512"}, "ORD-5512 shipped")],
              [_t("mail", {"text": "Order ORD-5512 is on its way"}, "sent")]],
        "Q": "Ship the order of Lund.", "A": "Order ORD-5512 of Lund is on its way.",
    },
    {
        "name": "persons-own-words", "kind": "user", "value": "Saturday", "truth": ["q"],
        "S": [_s("Market day is Saturday.")],
        "T": [[_t("book_table", {"day": "Saturday", "for": 3}, "Table booked: Saturday.")]],
        "Q": "Book a table for us on Saturday.", "A": "A table is booked for Saturday.",
    },
    {
        "name": "unit-in-one-word", "kind": "fact", "value": "14", "truth": ["p"],
        "carried": "respelled",
        "F": [_f("fact", "trial", "Plan Basic has a 14-day trial.", "p")],
        "S": [_s("Shelf 14 is empty.")],
        "Q": "How long can I try plan Basic?", "A": "You can try plan Basic for 14 days.",
    },
    {
        "name": "nothing-there", "kind": "none", "value": "2,750", "truth": [],
        "F": [_f("fact", "rent", "Rent of the loft: 2,570 a month.")],
        "Q": "What is the rent of the loft?", "A": "The rent of the loft is 2,750.",
    },
    {
        "name": "only-its-own-words", "kind": "none", "value": "12 March", "truth": [],
        "T": [[_t("calendar", {"what": "launch"}, "No entry.")]],
        "say": ["I think the launch is on 12 March, let me see."],
        "Q": "When is the launch?", "A": "The launch is on 12 March.",
    },
    {
        "name": "only-by-chance", "kind": "none", "value": "19", "truth": [],
        "S": [_s("Platform 19 has no lift."), _s("Form 19 is blue.")],
        "Q": "What is the VAT rate on books?", "A": "The VAT rate on books is 19 percent.",
    },
    {
        "name": "rare-by-chance", "kind": "none", "value": "Tessa Oort", "truth": [],
        "S": [_s("Tessa Oort designed the logo of the canteen.")],
        "Q": "Who signs the lease?", "A": "The lease is signed by Tessa Oort.",
    },
    {
        "name": "left-long-ago", "kind": "none", "value": "450", "truth": [],
        "H": [{"role": "user", "as": "gone", "text": "Deposit for the boat: 450 crowns."}],
        "T": [[_t("weather", {"at": "sea"}, "calm")], [_t("weather", {"at": "bay"}, "calm")]],
        "drop": ["gone"],
        "Q": "What was the deposit for the boat?", "A": "The deposit for the boat was 450 crowns.",
    },
)  # fmt: skip


def by_hand() -> list[Scenario]:
    """All of them."""
    return [_made(case) for case in CASES]


def _made(case: P) -> Scenario:
    rng = Random(case["name"])
    noise = iter([_line(rng, case["value"], i) for i in range(60)])
    system = [_s(next(noise)) for _ in range(9)]
    for i, piece in enumerate(case.get("S", ())):
        system.insert(1 + 2 * i, piece)
    context = [_f("fact", f"n{i}", next(noise)) for i in range(6)]
    context[3:3] = case.get("F", ())
    history = [
        {"role": ("user", "assistant")[i % 2], "text": next(noise)} for i in range(12)
    ]  # fmt: skip
    history[6:6] = case.get("H", ())
    tools = [_tool(f"noop_{i}", next(noise), {"x": "y"}) for i in range(4)]
    tools += [_tool(*each) for each in case.get("D", ())]
    calls: list[P] = [{"say": "First a look.", "tools": [_t("noop_1", {"x": "a"}, next(noise))]}]
    says = iter(case.get("say", ()))
    calls += [{"say": next(says, ""), "tools": batch} for batch in case.get("T", ())]
    if case.get("T"):
        calls.append({"say": "", "tools": [_t("noop_2", {"x": "b"}, next(noise))]})
    elif "cut" in case or "drop" in case:
        calls.append({"say": "", "tools": [_t("noop_3", {"x": "c"}, next(noise))]})
    calls.append({"say": case["A"]})
    at = -2 if "drop" in case else 1
    for key in ("cut", "drop"):
        if key in case:
            calls[at][key] = case[key]
    raw = {
        "name": f"hand-{case['name']}", "kind": case["kind"], "system": system,
        "client": "anthropic" if rng.random() < 0.4 else "openai",
        "context": context, "history": history, "tools": tools,
        "turns": [*case.get("before", ()), {"as": "q", "ask": case["Q"], "calls": calls}],
        "value": case["value"], "truth": case["truth"],
    }  # fmt: skip
    if "carried" in case:
        raw["carried"] = case["carried"]
    return scenario(raw)


def _line(rng: Random, value: str, index: int) -> str:
    text = _NOISE[index % len(_NOISE)]
    numbers = [n for n in range(2, 99) if str(n) not in value]
    return text.format(n=rng.choice(numbers), m=rng.choice(numbers))


def _tool(name: str, about: str, arguments: P, as_: str = "") -> P:
    properties = {k: {"type": "string"} for k in arguments}
    made = {"name": name, "description": about,
            "parameters": {"type": "object", "properties": properties}}  # fmt: skip
    return {**made, **({"as": as_} if as_ else {})}
