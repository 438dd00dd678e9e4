"""The pages: what a person sees and may change, in a real browser where one is found,
and who is kept out.
"""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from hexad.model import shown_trust
from hexad.server.dashboard.pages import PAGES
from tests.browser import CHROMIUM, DRIVER, browser
from tests.server.server_support import secret, serving, stock, tokens_in
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hexad import Hexad
    from hexad.server.tokens import Tokens
    from tests.browser import Browser

HOSTILE = '"\'><script>window.pwned=1</script><img src=x onerror="window.pwned=1"><style>*{display:none}</style>{{7*7}}'
SINGLE = (
    "knowledge?key=deploy-window",
    "knowledge?layer=external_knowledge",
    "skills?name=greet",
)
LINK = "javascript:window.pwned=1"

needs_browser = pytest.mark.skipif(
    not (CHROMIUM and DRIVER),
    reason="no Chromium and chromedriver: apt install chromium chromium-driver",
)


@pytest.fixture
def tokens(tmp_path: Path) -> Tokens:
    return tokens_in(tmp_path)


@pytest.fixture
def hx(tmp_path: Path) -> Iterator[Hexad]:
    with opened(tmp_path / "agent.db", semantic=False, standing_budget=300) as engine:
        stock(engine)
        yield engine


@pytest.fixture
def url(hx: Hexad, tokens: Tokens) -> Iterator[str]:
    with serving(hx, tokens) as base:
        yield base


class Visitor(httpx2.Client):
    """A browser without script: it keeps cookies and sends the secret of the form."""

    def form(self, page: str, **fields: Any) -> httpx2.Response:
        shown = self.get(f"/{page}")
        found = re.search(r'name="csrf" value="(\w+)"', shown.text)
        assert found, shown.text[:300]
        return self.post(
            f"/{page.partition('?')[0]}",
            data={"csrf": found[1], **fields},
            follow_redirects=True,
        )


@requirement("DASH-01")
@pytest.mark.parametrize("page", PAGES)
def test_each_page_answers_links_all_others_and_runs_only_our_own_script(
    url: str, page: str
) -> None:
    answer = httpx2.get(f"{url}/{page}")
    assert answer.status_code == 200, answer.text[:400]
    assert all(f'href="/{other}"' in answer.text for other in PAGES)
    policy = answer.headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert not re.search(
        r"<script(?! src=)|<style|\son\w+=|\sstyle=|https?://(?!wiki)", answer.text
    )
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie


@requirement("DASH-01")
def test_a_page_needs_a_token_once_one_was_made_and_signing_out_ends_it(
    url: str, tokens: Tokens
) -> None:
    person = secret(tokens)
    with Visitor(base_url=url) as one:
        assert one.get("/knowledge").headers["location"].startswith("/sign-in")
        assert one.form("sign-in", token="hx_wrong").status_code == 401
        assert (
            one.form("sign-in", token=person, next="/knowledge").url.path
            == "/knowledge"
        )
        assert "deploy-window" in one.get("/knowledge").text
        cookie = one.cookies["hexad_session"]
        found = re.search(r'name="csrf" value="(\w+)"', one.get("/knowledge").text)
        assert found
        one.post("/sign-out", data={"csrf": found[1]})
        one.cookies.set("hexad_session", cookie)
        assert one.get("/knowledge").status_code == 303
        again = one.form("sign-in", token=person)
        assert again.status_code == 200
        tokens.revoke(tokens.list()[0].id)
        assert one.get("/knowledge").status_code == 303


@requirement("DASH-01")
def test_forged_requests_change_nothing(url: str, hx: Hexad) -> None:
    planted = {
        "do": "save",
        "key": "planted",
        "content": "planted",
        "category": "rule",
        "tags": "",
        "subject": "",
    }
    with Visitor(base_url=url) as one, Visitor(base_url=url) as other:
        one.get("/knowledge")
        assert one.post("/knowledge", data=planted).status_code == 403
        assert (
            one.post("/knowledge", data={**planted, "csrf": "0" * 32}).status_code
            == 403
        )
        found = re.search(r'name="csrf" value="(\w+)"', other.get("/knowledge").text)
        assert found
        assert (
            one.post("/knowledge", data={**planted, "csrf": found[1]}).status_code
            == 403
        )
        foreign = {"Origin": "https://evil.example"}
        assert (
            other.post(
                "/knowledge", data={**planted, "csrf": found[1]}, headers=foreign
            ).status_code
            == 403
        )
        assert "planted" not in [entry.key for entry in hx.knowledge.list()]
        other.post("/knowledge", data={**planted, "csrf": found[1]})
        assert "planted" in [entry.key for entry in hx.knowledge.list()]


@requirement("DASH-01")
def test_a_page_shows_and_changes_only_what_its_token_may(
    url: str, hx: Hexad, tokens: Tokens
) -> None:
    hx.scoped(namespace="acme").knowledge.save("theirs", "a secret of theirs")
    reader = secret(tokens, "read")
    with Visitor(base_url=url) as one:
        one.form("sign-in", token=reader)
        assert one.get("/knowledge?namespace=acme").status_code == 403
        assert "theirs" not in one.get("/knowledge").text
        assert 'name="deleted"' not in one.get("/knowledge").text
        assert one.get("/knowledge?deleted=1").status_code == 403
        refused = one.form("knowledge", do="delete", key="deploy-window")
        assert "no right to write" in refused.text
        assert hx.knowledge.get("deploy-window")
        assert "Make a token" not in one.get("/settings").text


@requirement("DASH-01")
def test_a_change_that_somebody_made_in_between_is_not_overwritten(
    url: str, hx: Hexad
) -> None:
    with Visitor(base_url=url) as one:
        page = one.get("/knowledge?key=deploy-window").text
        tag = re.search(r'name="if_match" value="([^"]+)"', page)
        assert tag
        hx.knowledge.save("deploy-window", "Deploy on Fridays")
        late = {
            "content": "mine",
            "category": "rule",
            "tags": "",
            "subject": "",
            "if_match": tag[1].replace("&#34;", '"'),
        }
        answer = one.form(
            "knowledge?key=deploy-window", do="save", key="deploy-window", **late
        )
        assert "has changed since you read it" in answer.text.replace("&#39;", "'")
        assert hx.knowledge.get("deploy-window").content == "Deploy on Fridays"


@requirement("DASH-01")
def test_a_key_that_was_made_from_a_text_follows_the_text_that_the_form_saves(
    url: str, hx: Hexad
) -> None:
    made = hx.knowledge.save("Paulo owns the billing service").key
    with Visitor(base_url=url) as one:
        tag = re.search(
            r'name="if_match" value="([^"]+)"', one.get(f"/knowledge?key={made}").text
        )
        assert tag
        typed = {
            "content": "Sofia owns the billing service",
            "category": "fact",
            "tags": "",
            "subject": "",
        }
        read = {"key": made, "if_match": tag[1].replace("&#34;", '"')}
        answer = one.form(f"knowledge?key={made}", do="save", **read, **typed)
        assert "Saved as sofia-owns-billing-service." in answer.text
    assert hx.knowledge.get("sofia-owns-billing-service").version == 2
    assert hx.knowledge.lookup(made) is None


@requirement("DASH-01")
def test_the_counts_beside_a_page_follow_the_changes_of_every_process(
    url: str, hx: Hexad, tmp_path: Path
) -> None:
    def counted() -> tuple[list[str], list[str]]:
        shown = httpx2.get(f"{url}/log").text
        return re.findall(r'class="count">(\d+)', shown), re.findall(
            r'class="count alert"[^>]*>(\d+)', shown
        )

    assert counted() == (["4", "1", "1"], ["2"])
    assert counted() == (["4", "1", "1"], ["2"])
    hx.knowledge.delete("note-0")
    with opened(tmp_path / "agent.db", semantic=False) as other:
        other.proposals.propose("drink", "I like tea")
        other.skills.delete("greet")
    assert counted() == (["3", "1", "0"], ["2"])
    hx.forget(everything=True)
    assert counted() == (["0", "0", "0"], [])


@requirement("DASH-01")
def test_the_timeline_says_what_was_found_and_what_came_of_it(url: str) -> None:
    page = httpx2.get(f"{url}/timeline").text
    assert "note-0" in page
    assert "1 worked" in page
    assert "1 failed" in page


@requirement("DASH-01")
def test_a_memory_is_asked_questions_with_known_answers(url: str) -> None:
    with Visitor(base_url=url) as one:
        shown = one.form(
            "evaluation",
            do="measure",
            lines='{"text": "when deploy?", "relevant": ["deploy-window"]}',
        ).text
        assert "recall at 5" in shown
        assert "1.000" in shown
        assert (
            "has no questions"
            in one.form("evaluation", do="measure", lines="nonsense").text
        )


@requirement("DASH-01")
def test_stored_questions_are_chosen_from_the_operators_folder_alone(
    hx: Hexad, tokens: Tokens, tmp_path: Path
) -> None:
    line = '{"text": "when deploy?", "relevant": ["deploy-window"]}'
    (tmp_path / "outside.jsonl").write_text(line)
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals" / "ours.jsonl").write_text(line)
    with (
        serving(hx, tokens, evals=tmp_path / "evals") as url,
        Visitor(base_url=url) as one,
    ):
        assert '<option value="ours.jsonl">' in one.get("/evaluation").text
        assert "1.000" in one.form("evaluation", do="measure", set="ours.jsonl").text
        assert (
            "no set"
            in one.form("evaluation", do="measure", set="../outside.jsonl").text
        )


@requirement("DASH-01")
def test_references_are_listed_saved_searched_and_deleted(url: str, hx: Hexad) -> None:
    page = "knowledge?layer=external_knowledge"
    with Visitor(base_url=url) as one:
        given = {
            "layer": "external_knowledge",
            "name": "Wiki",
            "location": "https://wiki.example",
            "kind": "wiki",
        }
        saved = one.form(page, do="put_reference", **given)
        assert "https://wiki.example/deploy" in saved.text
        assert hx.references.get("Wiki").origin == "user"
        assert "Wiki</b>" not in one.get(f"/{page}&query=how+to+deploy").text
        assert (
            "Wiki</b>"
            not in one.form(
                page, do="delete_reference", name="Wiki", layer="external_knowledge"
            ).text
        )


@pytest.fixture(scope="module")
def started() -> Iterator[Browser]:
    with browser() as one:
        yield one


@pytest.fixture
def chromium(started: Browser, url: str) -> Iterator[Browser]:
    """A browser that asks this server alone, on every page that a test opens."""
    started.errors(), started.asked()  # of the test before
    yield started
    asked = started.asked()
    assert any(each.startswith(f"{url}/static/hexad.css") for each in asked)
    assert {
        each for each in asked if not each.startswith((f"{url}/", "data:"))
    } == set()
    started.open("about:blank")


@pytest.mark.browser
@needs_browser
@requirement("DASH-01")
def test_a_person_clicks_through_every_page_and_reviews_by_keys(
    url: str, hx: Hexad, chromium: Browser
) -> None:
    one = chromium
    one.open(f"{url}/")
    for page in PAGES:
        one.click(f'nav a[href="/{page}"]')
        one.wait(lambda page=page: one.url.endswith(f"/{page}"), page)
    one.click('nav a[href="/playground"]')
    one.type("input[name=message]", "when may I deploy?")
    one.click("form button.act")
    one.see("THE PROMPT")
    assert "Runbook" in one.text
    one.click('nav a[href="/review"]')
    one.see("I am vegan now")
    one.press("j")
    one.press("a")
    one.see("Accepted: diet.")
    assert hx.knowledge.get("diet").origin == "user"
    one.press("j")
    one.press("e")
    shown = "return document.querySelector('[value=activate_skill]').checkVisibility()"
    assert not one.run(shown), "what is approved is what was looked at"
    one.type("textarea[name=body]", "Welcome {{ name }}")
    one.click("button[value=edit_skill]")
    one.see("look at it again before you activate it")
    one.press("j")
    one.press("a")
    one.see("It is active.")
    assert hx.skills.get("greet").definition == {"template": "Welcome {{ name }}"}
    assert [each for each in one.errors() if each["level"] == "SEVERE"] == []


@pytest.mark.browser
@needs_browser
@requirement("DASH-01")
def test_a_person_edits_deletes_undoes_tries_a_skill_and_signs_in(
    url: str, hx: Hexad, tokens: Tokens, chromium: Browser
) -> None:
    one = chromium
    one.open(f"{url}/knowledge")
    one.type("textarea[name=content]", "We meet on Mondays")
    one.click("form button.act")
    one.see("Saved as")
    one.type("textarea[name=content]", "We meet on Fridays")
    one.click("form button.act")
    one.see("version 2")
    one.find("ins")
    assert one.run("return document.querySelector('ins').textContent") == "Fridays"
    one.click('nav a[href="/knowledge"]')
    one.click("[data-tick-all]")
    one.click("[data-needs-tick]")
    one.see("entries deleted")
    assert hx.knowledge.list() == ()
    one.click("#undo")
    one.see("brought back")
    assert len(hx.knowledge.list()) == 5
    hx.knowledge.delete("note-1")
    one.open(f"{url}/knowledge?deleted=1")
    one.click("[data-tick-all]")
    one.click("[data-needs-tick]")
    one.see("1 entry brought back.")
    assert hx.knowledge.get("note-1").content == "Deploy note 1"
    one.open(f"{url}/skills?name=greet")
    shown = "return document.querySelector('[value=activate_skill]').checkVisibility()"
    assert one.run(shown)
    one.click("details[data-key=e] summary")
    assert not one.run(shown), "an edit that is open is not thrown away"
    one.type("textarea[name=parameters]", '{"name": "Ada"}')
    one.click("button[value=dry]")
    one.see("Hello Ada")
    one.click('nav a[href="/log"]')
    one.find("tbody[data-live] tr")
    hx.knowledge.save("while-you-look", "text")
    one.see("while-you-look")
    one.click('nav a[href="/settings"]')
    one.type("input[name=name]", "browser")
    one.click("button[value=make_token]")
    one.find("#secret")
    token = one.run("return document.querySelector('#secret').textContent")
    one.open(f"{url}/knowledge")
    one.see("Sign in")
    one.type("input[name=token]", token)
    one.click("button.act")
    one.see("deploy-window")
    one.click("form[action='/sign-out'] button")
    one.see("Sign in")
    assert [each for each in one.errors() if each["level"] == "SEVERE"] == []
    assert len(tokens.list()) == 1


def hostile(hx: Hexad) -> None:
    """Script, style, markup and links in every field that a person or an agent can
    write.
    """
    hx.knowledge.save(
        HOSTILE[:200],
        HOSTILE,
        tags=[HOSTILE[:100]],
        subject=HOSTILE[:90],
        source=LINK,
        origin="agent",
    )
    hx.knowledge.save(
        HOSTILE[:200], f"again {HOSTILE}", origin="agent", session=HOSTILE[:80]
    )
    hx.references.save(HOSTILE[:150], location=LINK, summary=HOSTILE)
    hx.skills.create(
        HOSTILE[:90],
        kind="instruction",
        description=HOSTILE,
        definition={"text": HOSTILE},
        origin="agent",
    )
    hx.proposals.propose(HOSTILE[:99], HOSTILE, sentence=HOSTILE)
    session = hx.scoped(session=HOSTILE[:70])
    session.observe(tool=HOSTILE[:50], args={"a": HOSTILE}, error=HOSTILE)
    session.observe(tool=HOSTILE[:50], args={"a": "b"}, result="fine")
    hx.learnings.save(
        trigger=HOSTILE[:60], error_pattern=HOSTILE, diagnosis=HOSTILE, fix=HOSTILE
    )
    hx.knowledge.save(f"gone {HOSTILE[:180]}", HOSTILE, origin="agent")
    hx.knowledge.delete(f"gone {HOSTILE[:180]}")
    session.prompt("", HOSTILE)


@pytest.mark.browser
@needs_browser
@requirement("DASH-01")
def test_stored_script_style_and_links_run_on_no_page(
    url: str, hx: Hexad, chromium: Browser
) -> None:
    hostile(hx)
    one, key = chromium, httpx2.QueryParams({"key": HOSTILE[:200]})
    singles = [
        SINGLE[1],
        "knowledge?deleted=1",
        f"knowledge?{key}",
        f"skills?{httpx2.QueryParams({'name': HOSTILE[:90]})}",
    ]
    singles += [f"learnings?id={each.id}" for each in hx.learnings.list(noticed=True)]
    asked = httpx2.QueryParams(
        {"message": HOSTILE, "query": HOSTILE, "action": HOSTILE}
    )
    for page in (*PAGES, *(f"{page}?{asked}" for page in PAGES), *singles):
        one.open(f"{url}/{page}")
        assert one.run("return window.pwned || 0") == 0, page
        assert (
            one.run(
                "return document.querySelectorAll('main script, main style, main img, main iframe').length"
            )
            == 0
        )
        assert one.run(
            "return [...document.links].every(a => a.href.startsWith(location.origin))"
        ), page
        assert "49" not in one.run("return document.title")
        assert one.run("return getComputedStyle(document.body).display") == "block", (
            page
        )
    loud = [
        each
        for each in one.errors()
        if each["level"] == "SEVERE" and "favicon" not in each["message"]
    ]
    assert loud == []


@pytest.mark.browser
@needs_browser
@requirement("DASH-01")
@pytest.mark.parametrize("width", [360, 1400])
def test_no_page_is_wider_than_the_screen_and_every_field_has_a_name(
    url: str, chromium: Browser, width: int
) -> None:
    unnamed = """return [...document.querySelectorAll('input:not([type=hidden]), select, textarea, button')]
      .filter(e => !(e.labels && e.labels.length) && !e.textContent.trim() && !e.getAttribute('aria-label'))
      .map(e => e.outerHTML)"""
    chromium.size(width, 800)
    for page in (*PAGES, *SINGLE, "playground?message=deploy"):
        chromium.open(f"{url}/{page}")
        assert chromium.run("return document.documentElement.scrollWidth") <= width, (
            page
        )
        assert chromium.run(unnamed) == [], page
        assert chromium.run("return document.querySelectorAll('h1').length") == 1


CONTRAST = """
const part = v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
const light = ([r, g, b]) => .2126 * part(r) + .7152 * part(g) + .0722 * part(b);
const rgb = text => (text.match(/[\\d.]+/g) || []).map(Number);
const ground = e => {
  for (; e; e = e.parentElement) {
    const c = rgb(getComputedStyle(e).backgroundColor);
    if (c.length === 3 || c[3] > .99) return c;
  }
  return [255, 255, 255];
};
const has_text = e => [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
return [...document.querySelectorAll('body *')]
  .filter(e => has_text(e) && e.offsetParent && !e.closest('svg, :disabled, kbd, option'))
  .map(e => {
    const one = light(rgb(getComputedStyle(e).color)), two = light(ground(e));
    return [(Math.max(one, two) + .05) / (Math.min(one, two) + .05), e.outerHTML.slice(0, 90)];
  })
  .filter(([ratio]) => ratio < 4.5);
"""


@pytest.mark.browser
@needs_browser
@requirement("DASH-01")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read_in_light_and_dark(
    url: str, chromium: Browser, scheme: str
) -> None:
    chromium.size(1300, 900)
    chromium.scheme(scheme)
    for page in (*PAGES, *SINGLE, "playground?message=deploy&budget=20"):
        chromium.open(f"{url}/{page}")
        assert chromium.run(CONTRAST) == [], page


DOCS = Path(__file__).parents[2] / "docs" / "how-to"


@pytest.mark.browser
@needs_browser
@requirement("DASH-01")
@pytest.mark.parametrize(
    ("name", "page", "scheme"),
    [
        ("playground", "playground?message=when+may+I+deploy%3F", "light"),
        ("review", "review", "dark"),
    ],
)
def test_the_pictures_of_the_docs_are_taken_from_the_pages(
    url: str,
    chromium: Browser,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    name: str,
    page: str,
    scheme: str,
) -> None:
    file = (
        DOCS if request.config.getoption("--pictures") else tmp_path
    ) / f"{name}.png"
    chromium.size(1300, 900)
    chromium.scheme(scheme)
    chromium.open(f"{url}/{page}")
    chromium.picture(file)
    assert file.read_bytes().startswith(b"\x89PNG")
    assert f"({name}.png)" in (DOCS / "serve.md").read_text(encoding="utf-8")


AXE = (
    Path(__file__).parents[2]
    / "examples"
    / "typescript"
    / "node_modules"
    / "axe-core"
    / "axe.min.js"
)
RULES = "['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice']"


@pytest.mark.browser
@needs_browser
@pytest.mark.skipif(
    not AXE.exists(), reason="no axe: npm install in examples/typescript"
)
@requirement("DASH-01")
@pytest.mark.parametrize("width", [360, 1280])
def test_axe_finds_nothing_on_any_page(
    url: str, hx: Hexad, chromium: Browser, width: int
) -> None:
    chromium.size(width, 900)
    look = f"axe.run(document, {{runOnly: {RULES}}}).then(r => {{ window.found = r.violations.map(v => v.id); }})"
    learned = (f"learnings?id={each.id}" for each in hx.learnings.list())
    for page in (
        *PAGES,
        *SINGLE,
        *learned,
        "knowledge?deleted=1",
        "playground?message=deploy&budget=20",
    ):
        chromium.open(f"{url}/{page}")
        chromium.run(f"{AXE.read_text()}; window.found = null; {look}")
        found = chromium.wait(
            lambda: chromium.run("return window.found && [window.found]"), "axe"
        )
        assert found == [[]], page


@requirement("DASH-01")
def test_sorted_entries_are_reached_page_by_page(url: str, hx: Hexad) -> None:
    for number in range(60):
        hx.knowledge.save(f"entry-{number:02}", f"fact {number}")
    first = httpx2.get(f"{url}/knowledge", params={"sort": "key"})
    more = re.search(r'href="(/knowledge\?[^"]*cursor=[^"]*)"', first.text)
    assert more
    last = httpx2.get(url + html.unescape(more[1]))
    assert "entry-59" in last.text
    assert "entry-00" not in last.text


@requirement("DASH-01", "API-01")
def test_a_token_for_all_below_a_name_begins_in_the_first_of_them(
    url: str, hx: Hexad, tokens: Tokens
) -> None:
    hx.scoped(namespace="acme/dana").knowledge.save("desk", "Dana sits by the window")
    with Visitor(base_url=url) as one:
        one.form("sign-in", token=secret(tokens, namespaces=("acme/*",)))
        assert "by the window" in one.get("/knowledge").text


@requirement("DASH-01")
def test_a_new_entry_does_not_take_the_place_of_one_that_is_there(
    url: str, hx: Hexad
) -> None:
    hx.knowledge.save("kettle", "Descale it", tags=["kitchen"], subject="home")
    with Visitor(base_url=url) as one:
        answer = one.form(
            "knowledge",
            do="save",
            content="Buy one",
            key="kettle",
            category="fact",
            tags="",
            subject="",
        )
    assert "is there already" in answer.text
    assert ">Buy one</textarea>" in answer.text  # what was typed is not lost
    kept = hx.knowledge.get("kettle")
    assert (kept.content, kept.tags, kept.subject) == (
        "Descale it",
        ("kitchen",),
        "home",
    )


@requirement("DASH-01")
def test_deleted_entries_are_listed_searched_and_brought_back(
    url: str, hx: Hexad
) -> None:
    with Visitor(base_url=url) as visitor:
        for key in ("note-0", "note-1"):
            hx.knowledge.delete(key)
        listed = visitor.get("/knowledge?deleted=1").text
        assert "note-0" in listed
        assert "note-2" not in listed
        assert "note-1" not in visitor.get("/knowledge?deleted=1&query=note 0").text
        assert (
            "1 entry brought back."
            in visitor.form("knowledge?deleted=1", do="undelete", key="note-0").text
        )
    assert hx.knowledge.get("note-0").content == "Deploy note 0"
    found = httpx2.get(f"{url}/api/v1/knowledge?deleted=true").json()["items"]
    assert [each["key"] for each in found] == ["note-1"]


@requirement("DASH-01")
def test_a_draft_is_edited_before_it_is_approved_and_typed_text_survives_a_mistake(
    url: str, hx: Hexad
) -> None:
    steps = [{"tool": "deploy", "args": {"to": "prod"}}]
    hx.skills.create(
        "release",
        kind="composite",
        description="Release",
        definition={"steps": steps},
        origin="agent",
    )
    typed = {
        "name": "release",
        "description": "Release it",
        "when": "on Tuesdays",
        "do": "edit_skill",
    }
    with Visitor(base_url=url) as visitor:
        wrong = visitor.form("review", **typed, body='[{"tool": "deploy"')
        assert "must be JSON such as" in wrong.text
        assert "[{&#34;tool&#34;: &#34;deploy&#34;" in wrong.text
        assert hx.skills.get("release").description == "Release"
        visitor.form("review", **typed, body='[{"tool": "announce", "args": {}}]')
        stale = visitor.form("review", **typed, body="[]", if_match='"another"')
        assert "has changed since you read it" in stale.text
    skill = hx.skills.get("release")
    assert skill.definition == {"steps": [{"tool": "announce", "args": {}}]}
    assert (skill.status, skill.description, skill.when) == (
        "draft",
        "Release it",
        "on Tuesdays",
    )


@requirement("DASH-01")
def test_a_learning_shows_how_its_trust_changed_and_what_came_of_its_prompts(
    url: str, hx: Hexad
) -> None:
    (learning,) = hx.learnings.list()
    days = (
        ("2026-02-01", True),
        ("2026-02-02", True),
        ("2026-02-03", True),
        ("2026-02-04", False),
    )
    for number, (day, ok) in enumerate(days):
        session = hx.scoped(session=f"later:{number}")
        session.prompt("", "book a day: cannot read the day")
        session.observe(
            tool="book", args={"day": "1/2"}, error="cannot read the day '1/2'"
        )
        error = None if ok else f"cannot read the day '{day}'"
        session.observe(
            tool="book", args={"day": day}, error=error, result="ok" if ok else None
        )
    text = httpx2.get(f"{url}/learnings?id={learning.id}").text
    trust = text.partition("<h2>Trust</h2>")[2].partition("</svg>")[0]
    assert re.findall(r'class="part (\w+)"', trust) == ["good", "good", "bad"]
    assert f"to {shown_trust(hx.learnings.get(learning.id).trust)}" in trust
    prompts = text.partition("Shown in prompts")[2]
    assert re.findall(r"trust (rose|fell)</span>", prompts) == ["fell", "rose"]
    assert (
        prompts.count("no change") == 2
    )  # sessions that were shown nothing did as well
    hx.learnings.correct(learning=learning.id, fix="write the day as YYYY-MM-DD")
    assert 'class="part act"' in httpx2.get(f"{url}/learnings?id={learning.id}").text


@requirement("DASH-01", "EVID-01")
def test_a_learning_shows_its_examples_its_lessons_and_who_said_them(
    url: str, hx: Hexad
) -> None:
    (learning,) = hx.learnings.list()
    hx.learnings.save(
        trigger="tool:book",
        error_pattern=learning.error_pattern,
        fix="dates in ISO form",
    )
    hx.learnings.correct(learning=learning.id, fix="write the day as YYYY-MM-DD")
    text = html.unescape(httpx2.get(f"{url}/learnings?id={learning.id}").text)
    examples, _, rest = text.partition('id="examples"')[2].partition('id="lessons"')
    assert 'book(day="31/01")' in examples
    assert 'book(day="2026-01-31")' in examples
    assert "cannot read the day '31/01'" in examples
    assert f"in 2 sessions, last {learning.known.examples[0].at:%Y-%m-%d}" in examples
    lessons = rest.partition("</table>")[0]
    assert re.findall(r"<td>([^<]+).*?<td class=\"tight\">(\w+)<", lessons) == [
        ("write the day as YYYY-MM-DD ", "user"),
        ("dates in ISO form", "agent"),
    ]
    with Visitor(base_url=url) as one:
        one.form(f"learnings?id={learning.id}", do="reject_learning", id=learning.id)
    assert hx.learnings.get(learning.id).fix == "dates in ISO form"


@requirement("DASH-01", "API-01", "EVID-03")
def test_what_one_session_met_is_listed_where_that_is_asked_for(
    url: str, hx: Hexad
) -> None:
    hx.observe(tool="mail", args={"to": "ann"}, error="mailbox full", session="once")
    assert "mailbox full" not in httpx2.get(f"{url}/learnings").text
    assert "<b>1</b><span>only noticed</span>" in httpx2.get(f"{url}/learnings").text
    assert "mailbox full" in httpx2.get(f"{url}/learnings?noticed=1").text
    listed = httpx2.get(f"{url}/api/v1/learnings").json()["items"]
    every = httpx2.get(f"{url}/api/v1/learnings?noticed=true").json()["items"]
    assert [each["trigger"] for each in listed] == ["tool:book"]
    assert [each["trigger"] for each in every] == ["tool:mail", "tool:book"]


@requirement("DASH-01")
def test_a_skill_says_whether_it_is_approved_and_by_whom_if_that_is_known(
    url: str, hx: Hexad
) -> None:
    with Visitor(base_url=url) as visitor:
        assert "<dt>approved</dt><dd>no</dd>" in visitor.get("/skills?name=greet").text
        done = visitor.form("skills?name=greet", name="greet", do="activate_skill")
    assert "<dt>approved</dt><dd>yes</dd>" in done.text
    hx.skills.activate("greet", by="dana")
    assert (
        "<dt>approved</dt><dd>by dana</dd>"
        in httpx2.get(f"{url}/skills?name=greet").text
    )


@requirement("DASH-01")
def test_the_form_to_try_a_skill_names_its_parameters(url: str, hx: Hexad) -> None:
    properties = {"city</textarea>": {"type": "string"}, "days": {"default": 3}}
    hx.skills.create(
        "trip",
        kind="composite",
        description="Plan",
        definition={"steps": [{"tool": "plan"}]},
        parameters={"type": "object", "properties": properties},
    )
    hx.skills.create(
        "rest", kind="instruction", description="Rest", definition={"text": "Sit down."}
    )

    def offered(name: str) -> object:
        text = httpx2.get(f"{url}/skills", params={"name": name}).text
        return json.loads(
            html.unescape(
                text.partition('name="parameters">')[2].partition("</textarea>")[0]
            )
        )

    assert offered("greet") == {"name": ""}
    assert offered("trip") == {"city</textarea>": "", "days": 3}
    assert offered("rest") == {}
