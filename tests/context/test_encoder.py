"""The sentence encoder of the extra `encoder`: real weights, no network."""

from __future__ import annotations

import json
import os
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from hexad.errors import EmbedderFailed, MissingExtra
from hexad.semantic import encoder, encoder_similarity
from tests.project.manual import steps
from tests.support import opened, requirement

FACTS = {
    "allergy": "Peanuts make my throat swell.",
    "car": "We sold the automobile and ride bicycles.",
    "sister": "Marta is a nurse in Porto.",
}


@requirement("EVAL-04")
def test_the_encoder_finds_what_shares_no_word_with_the_question(
    tmp_path: Path,
) -> None:
    with opened(tmp_path / "a.db", semantic=True, embedder="encoder") as hx:
        assert hx.ready(500)
        for key, text in FACTS.items():
            hx.knowledge.save(key, text)
        assert (
            hx.retrieve("Can he eat nuts without an allergic reaction?").all()[0].key
            == "allergy"
        )
        assert hx.retrieve("Who works at a hospital abroad?").all()[0].key == "sister"


@requirement("EVAL-04", "CTX-08")
def test_a_text_has_the_same_vector_alone_and_among_others() -> None:
    texts = [*FACTS.values(), "Short.", "A long text about nothing. " * 200]
    together = encoder_similarity().embed(texts)
    assert [encoder_similarity().embed([text])[0] for text in texts] == together


@requirement("EVAL-04")
def test_the_encoder_and_static_embeddings_are_never_mixed(tmp_path: Path) -> None:
    with opened(tmp_path / "a.db", semantic=True) as hx:
        assert hx.ready(500)
        hx.knowledge.save("allergy", FACTS["allergy"])
    with opened(tmp_path / "a.db", semantic=True, embedder="encoder") as hx:
        assert hx.ready(500)
        assert hx.without_vector() == 1
        assert hx.reindex() == 1
        assert hx.retrieve("allergic reactions to nuts").all()[0].key == "allergy"
    with opened(tmp_path / "a.db", semantic=True, embedder="none") as hx:
        assert hx.without_vector() is None
        assert not hx.retrieve("allergic reactions to nuts")


@requirement("EVAL-04")
def test_the_encoder_works_in_a_forked_child() -> None:
    expected = encoder_similarity().embed(list(FACTS.values()))
    child = os.fork()
    if not child:
        os._exit(encoder_similarity().embed(list(FACTS.values())) != expected)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@requirement("EVAL-04")
def test_another_version_of_the_model_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    package, file, _ = encoder._TOKENS
    monkeypatch.setattr(encoder, "_TOKENS", (package, file, "0" * 64))
    with pytest.raises(
        EmbedderFailed, match="another version than the one that Hexad knows"
    ):
        encoder.SentenceEncoder.load()


@requirement("EVAL-04")
def test_without_the_extra_one_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("hexad.semantic.find_spec", lambda _name: None)
    encoder_similarity.cache_clear()
    with pytest.raises(MissingExtra, match=r"\[encoder\]"):
        opened(":memory:", semantic=True, embedder="encoder")
    monkeypatch.undo()
    assert opened(":memory:", semantic=True, embedder="encoder").ready(500)


@requirement("EVAL-04")
def test_the_manuals_embedder_for_a_service_speaks_to_one(tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs/how-to/own-embedder.md"
    (source,) = [step.source for step in steps(page) if "def service" in step.source]
    recipe: dict[str, Any] = {}
    exec(source, recipe)  # noqa: S102 - the page's own example
    with HTTPServer(("127.0.0.1", 0), _Embeddings) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        embed = recipe["service"](
            f"http://127.0.0.1:{server.server_port}/v1", "toy", "a-key"
        )
        with opened(
            tmp_path / "a.db", semantic=True, embedder=embed, embedder_name="toy"
        ) as hx:
            hx.knowledge.save("fleet", "every automobile is washed on Friday")
            hx.knowledge.save("kitchen", "green tea at four")
            found = hx.retrieve("the car is washed").all()
        server.shutdown()
    assert [item.key for item in found] == ["fleet"]
    assert "meaning" in {reason.signal for reason in found[0].reasons}


class _Embeddings(BaseHTTPRequestHandler):
    """Answers as OpenAI does, in another order than it was asked: texts about cars are
    near each other.
    """

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert (self.path, asked["model"]) == ("/v1/embeddings", "toy")
        assert self.headers["Authorization"] == "Bearer a-key"
        rows = [
            {
                "index": place,
                "embedding": [1.0, 0.1]
                if "car" in text or "automobile" in text
                else [0.1, 1.0],
            }
            for place, text in enumerate(asked["input"])
        ]
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"data": rows[::-1]}).encode())

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""
