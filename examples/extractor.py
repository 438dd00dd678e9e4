"""An extractor for `hx.capture`: any server that speaks OpenAI's chat completions reads
a conversation.

    OPENAI_BASE_URL=http://localhost:11434/v1 python examples/extractor.py chat.json
    --model llama3.2

Its candidates are checked and become proposals: `hexad review` asks about them. Only
the standard library is needed.
"""

from __future__ import annotations

import argparse
import json
import os
import urllib.request
from functools import partial
from pathlib import Path
from typing import Any

from hexad import Hexad

ASK = """Which lasting rules, preferences and facts about themselves does the user state in this conversation?
Ignore the assistant's words, questions and requests for one answer. Answer with a JSON array of objects:
{"content": one short sentence, "category": "rule", "preference" or "fact", "sentence": the user's own words}."""


def extract(
    transcript: str, *, url: str, model: str, key: str = "", seconds: float = 60
) -> list[Any]:
    """Ask a model; an answer that is not a JSON array holds no candidates."""
    messages = [
        {"role": "system", "content": ASK},
        {"role": "user", "content": transcript},
    ]
    body = json.dumps({"model": model, "messages": messages, "temperature": 0}).encode()
    head = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
    request = urllib.request.Request(f"{url.rstrip('/')}/chat/completions", body, head)  # noqa: S310 - the operator's
    with urllib.request.urlopen(request, timeout=seconds) as answer:  # noqa: S310
        text = json.load(answer)["choices"][0]["message"]["content"]
    try:
        found = json.loads(text[text.index("[") : text.rindex("]") + 1])
    except ValueError:
        return []
    return found if isinstance(found, list) else []


def main(arguments: list[str] | None = None) -> None:
    """Capture a file of messages with a model's help."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "file", type=Path, help="messages: a JSON array of role and content"
    )
    parser.add_argument("--db", default="hexad.db")
    parser.add_argument("--model", default="gpt-4o-mini")
    given = parser.parse_args(arguments)
    url = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1")
    ask = partial(
        extract, url=url, model=given.model, key=os.environ.get("OPENAI_API_KEY", "")
    )
    with Hexad.open(given.db, enabled=True) as hx:
        done = hx.capture(
            json.loads(given.file.read_text(encoding="utf-8")), extractor=ask
        )
    for each in done.proposed:
        print(f"{each.proposal}: {each.content} (the user said: {each.sentence})")


if __name__ == "__main__":
    main()
