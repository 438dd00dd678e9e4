"""Every requirement, by its ID: the sentence that must hold. `planned` ones are not built yet and have no tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Requirement:
    """One sentence that must hold."""

    id: str
    sentence: str
    planned: bool = False


REQUIREMENTS: Final = {
    requirement.id: requirement
    for requirement in (
        # The context, layers and retrieval
        Requirement(
            "CTX-01",
            "There are six layers: Tool Registry, User Knowledge, Skill Patterns, External Knowledge, "
            "Agent Learnings, Runtime Context; asking for anything else is an error that names the six.",
        ),
        Requirement(
            "CTX-02",
            "`retrieve` without layers searches User Knowledge, Skill Patterns, External Knowledge and "
            "Agent Learnings, and only these.",
        ),
        Requirement(
            "CTX-03",
            "`retrieve` with layers searches exactly those.",
        ),
        Requirement(
            "CTX-04",
            "Each layer returns at most `max_per_layer` items [5], set for the engine or for one call; a "
            "value below 1 is an error.",
        ),
        Requirement(
            "CTX-05",
            "A query without keywords after extraction returns an empty result and queries no layer.",
        ),
        Requirement(
            "CTX-06",
            "A layer that fails is logged as a warning and carried in the result as a failure; the other "
            "layers answer as usual.",
        ),
        Requirement(
            "CTX-07",
            "Items come best first, each with its layer, key, content, category, source, origin, score, "
            "and the reasons for its score (which terms matched where, and what each signal added).",
        ),
        Requirement(
            "CTX-08",
            "The same rows, query, settings and clock give the same items in the same order, on every "
            "backend, whatever other namespaces hold.",
        ),
        Requirement(
            "CTX-09",
            "Items that were put into a prompt get their use count and last-used time updated, without "
            "slowing the answer and without an audit record.",
        ),
        Requirement(
            "CTX-10",
            "A store query stops at the layer's deadline [2 s] and a custom provider's late answer is "
            "discarded; either becomes that layer's failure.",
        ),
        Requirement(
            "CTX-11",
            "The retriever is a protocol: another implementation (a vector service, a remote one) can be "
            "given to the engine and to every adapter without changing them.",
        ),
        # The context, keywords
        Requirement(
            "KEY-01",
            "Common English stop words are removed.",
        ),
        Requirement(
            "KEY-02",
            "Words shorter than two characters are removed, in scripts that write words; two-character "
            "technical terms (Go, CI, DB, k8, R2 …) are kept.",
        ),
        Requirement(
            "KEY-03",
            "Punctuation at word boundaries is stripped, except where it belongs to a term (`C++`, `C#`, "
            "`.env`, `--long-flag`); inside a word it stays searchable: `snake_case`, `camelCase`, "
            "`dotted.path`, `E0382`, file names, versions.",
        ),
        Requirement(
            "KEY-04",
            'Identifiers match by their parts too: `create_user` is found by "create user", '
            '`HTTPServerError` by "server error".',
        ),
        Requirement(
            "KEY-05",
            "Every language yields keywords: Korean, Chinese, Japanese, German, Arabic questions retrieve "
            "what was stored in that language; a lone ideograph counts as a word.",
        ),
        Requirement(
            "KEY-06",
            "Any query string is safe: SQL and index syntax, quotes, NUL, lone surrogates, a megabyte of "
            "text give a result or an empty one, never an error, with bounded work.",
        ),
        # The context, tools and runtime
        Requirement(
            "TOOL-01",
            "A `ToolRegistryProvider` lists all tools (`list_tools()`) and searches them "
            "(`search_tools(query, limit)`), case-insensitively over name and description; a fragment of "
            "a name counts.",
        ),
        Requirement(
            "TOOL-02",
            "The registry adapter copies the tools it is given: changing the caller's list later changes nothing.",
        ),
        Requirement(
            "TOOL-03",
            "Without a provider the Tool Registry layer returns nothing, without error.",
        ),
        Requirement(
            "TOOL-04",
            "A tool whose name or description shares words with the query is found even when no single "
            "phrase matches whole.",
        ),
        Requirement(
            "TOOL-05",
            "`with_tool_registry(provider)` and `with_runtime_context(provider)` on the retriever and on "
            "`Hexad` return a new one that shares the store; the constructor needs neither, and the "
            "original stays as it was. A plain list of callables or descriptors is accepted as a "
            "provider.",
        ),
        Requirement(
            "RUN-01",
            "Runtime context is one item with key `session-state`: session key, channel type, number of "
            "active tools, and whether encryption, knowledge and memory are enabled, as the provider or "
            "the settings say.",
        ),
        Requirement(
            "RUN-02",
            "`set_session` derives the channel from the key's prefix (telegram, discord, slack; anything "
            "else is direct), and direct is the default.",
        ),
        Requirement(
            "RUN-03",
            "A call that names its session sees that one; `set_session` sets what calls without one see, "
            "from any thread, and a reader never sees half an update.",
        ),
        Requirement(
            "RUN-04",
            "Runtime context is never persisted.",
        ),
        Requirement(
            "RUN-05",
            "Without a provider the Runtime Context layer returns nothing, without error.",
        ),
        Requirement(
            "RUN-06",
            "The runtime item does not depend on the query's words: it is there whenever its layer is "
            "searched, under no relevance floor, and a budget drops it last.",
        ),
        # The context, the prompt
        Requirement(
            "PROMPT-01",
            "With no items the base prompt is returned unchanged, to the byte.",
        ),
        Requirement(
            "PROMPT-02",
            "The base prompt is a prefix of the result, to the byte; after it each layer with items adds "
            "one markdown section under the title in the design's table, in the design's order; a layer "
            "without items adds nothing.",
        ),
        Requirement(
            "PROMPT-03",
            "A token budget [2,000 in adapters, none otherwise] for what Hexad adds keeps the best items "
            "that fit, over all layers, by a replaceable token counter, and reports what was dropped; a "
            "budget too small for anything leaves the base prompt unchanged.",
        ),
        Requirement(
            "PROMPT-04",
            "An item cannot break out: newlines, headings, code fences and control characters in content "
            "cannot forge a section or another item.",
        ),
        Requirement(
            "PROMPT-05",
            "Each item has an origin (user, agent, tool, import). What did not come from the user is "
            "shown as quoted data with its origin, and where both answer, the user's word comes first.",
        ),
        Requirement(
            "PROMPT-06",
            "`explain` shows, for a message, the keywords, each layer's candidates with scores and "
            "reasons, what was kept or dropped and why, failures, and time spent.",
        ),
        # Model adapter (ADK)
        Requirement(
            "ADK-01",
            "The context-aware model wraps any ADK `BaseLlm` or model name and is itself one.",
        ),
        Requirement(
            "ADK-02",
            "Its query is the user's latest message.",
        ),
        Requirement(
            "ADK-03",
            "It requests all six layers, after setting the runtime session.",
        ),
        Requirement(
            "ADK-04",
            "It augments the system instruction and forwards a copy: the caller's request is never "
            "changed, and retries never stack context twice.",
        ),
        Requirement(
            "ADK-05",
            "Streaming, errors, `capabilities` and live connections behave as the wrapped model's.",
        ),
        Requirement(
            "ADK-06",
            "A failure of ours, of whatever kind, forwards the original request and logs a warning: the "
            "agent keeps answering.",
        ),
        Requirement(
            "ADK-07",
            "With the knowledge system disabled the wrapped model receives the very request that came in.",
        ),
        Requirement(
            "ADK-08",
            "Context goes to the end of the system instruction [default], so that what is constant stays "
            "a common prefix, or in front of the latest user turn, where the system instruction's bytes "
            "are the same over all turns and a provider's prompt cache stays warm.",
        ),
        Requirement(
            "ADK-09",
            "A plugin and a tool wrapper feed tool outcomes to the learning engine once each, whichever "
            "is used; cancellations are not learned from; an error turned into a result is still an "
            "error.",
        ),
        # Memory: knowledge, references, audit, store
        Requirement(
            "KNOW-01",
            "Knowledge is saved, read, listed, searched and deleted by key within a namespace; a missing "
            "key is a clear error.",
        ),
        Requirement(
            "KNOW-02",
            "Categories are rule, definition, preference, fact (and pattern, correction); anything else "
            "is an error that lists them.",
        ),
        Requirement(
            "KNOW-03",
            "Saving other content or another category under a known key appends a version; reads and "
            "searches see only the newest; `history` shows all; other fields change in place; saving the "
            "same again changes nothing.",
        ),
        Requirement(
            "KNOW-04",
            "`delete` hides every version at once; `forget` also erases them from database, index and "
            "write-ahead log, may take time linear in the index, and says so while another connection's "
            "snapshot prevents it; audit records hold neither content nor an unsalted hash of it.",
        ),
        Requirement(
            "KNOW-05",
            "Search takes a category filter and a limit [10].",
        ),
        Requirement(
            "KNOW-06",
            "Entries carry tags, source, origin, relevance score, use count, created and updated times, "
            "and optionally a subject, a thread with a position, and an expiry after which they are not "
            "retrieved.",
        ),
        Requirement(
            "KNOW-07",
            "An entry can be pinned: pinned entries are in every retrieval of their layer that queries "
            'it, first, beyond their words, up to a limit [3], so that "always answer in metric units" '
            "always applies.",
        ),
        Requirement(
            "KNOW-08",
            "Forgetting also works by subject, by session, and for a whole namespace; learnings, skills "
            "and references can be deleted too.",
        ),
        Requirement(
            "KNOW-09",
            "Text with NUL or lone surrogates, or longer than the limit [256 KB], is rejected with an "
            "error that says so.",
        ),
        Requirement(
            "REF-01",
            "External references are saved, updated, searched and deleted by name: kind documentation, "
            "api, wiki, repository or tool; location; summary; metadata.",
        ),
        Requirement(
            "AUDIT-01",
            "Every change is appended to an audit log (session, action, actor, target, details without "
            "content, time) that no interface can change.",
        ),
        Requirement(
            "AUDIT-02",
            "The log is tamper-evident, one chain for each namespace: each record carries a hash over "
            "itself and the one before; `hexad audit verify` finds the first altered, reordered or "
            "missing inner record, and with `--expect HASH` a cut tail.",
        ),
        Requirement(
            "STORE-01",
            "The tables are created and migrated automatically at open, with a backup copy before a "
            "migration; opening a newer database than the program knows is a clear error that changes "
            "nothing; other tables in the same file are left alone.",
        ),
        Requirement(
            "STORE-02",
            'Several processes and threads share one database: no lost update, no "database is locked" '
            "under the documented load; a save with its version, index and audit record is one "
            "transaction; an engine survives `fork`.",
        ),
        Requirement(
            "STORE-03",
            "A process killed at any moment loses nothing that was acknowledged and leaves a database that opens.",
        ),
        Requirement(
            "STORE-04",
            "`backup` and `restore` carry everything losslessly, as JSON Lines; `import` of somebody "
            "else's file marks origins as import and skills as drafts.",
        ),
        Requirement(
            "STORE-05",
            "Nothing but loopback is ever contacted: the whole test suite passes with outside sockets blocked.",
        ),
        Requirement(
            "STORE-06",
            "Namespaces are isolated: no call in one sees, counts, ranks by or changes another's rows.",
        ),
        Requirement(
            "STORE-07",
            "A new database file is readable by its owner alone.",
        ),
        # Limits
        Requirement(
            "LIMIT-01",
            "A session saves at most `max_knowledge` [20] knowledge entries and `max_learnings` [10] "
            "learnings; the next save is rejected with an error naming the limit, and the rejection is "
            "audited.",
        ),
        Requirement(
            "LIMIT-02",
            "Check and increment are one atomic step: N concurrent savers at a limit of M get exactly M successes.",
        ),
        Requirement(
            "LIMIT-03",
            "A save that fails, or changes nothing, gives its slot back.",
        ),
        Requirement(
            "LIMIT-04",
            "An empty session key is not limited; counters are per process and not persisted.",
        ),
        Requirement(
            "LIMIT-05",
            "Agents create at most `max_skills_per_day` [10] skills per day and namespace; a person's own "
            "creations and imports do not count.",
        ),
        # Learning
        Requirement(
            "LEARN-01",
            "Every execution of a watched tool is observed and audited: success or error, parameters "
            'summarised (strings over 200 characters cut with "...", lists as "[5 items]", secrets '
            "redacted; of Hexad's own tools only names and sizes).",
        ),
        Requirement(
            "LEARN-02",
            "Errors become patterns: UUIDs, timestamps, paths, ports, addresses, hex, hashes, numbers, "
            "quoted values, e-mails and URLs become placeholders, so that occurrences of one error share "
            "a pattern and different errors do not.",
        ),
        Requirement(
            "LEARN-03",
            "Errors are categorised: timeout, permission, provider_error, tool_error, user_correction, "
            "general; wrapped causes count (an exception whose `__cause__` is a timeout is a timeout).",
        ),
        Requirement(
            "LEARN-04",
            "A pattern seen again strengthens the one learning; it never makes a second, also with "
            "several processes at once.",
        ),
        Requirement(
            "LEARN-05",
            "A known error with trust above 0.7 and a fix offers that fix (`hx.learnings.fix_for(tool, "
            "error)`); at or below, none.",
        ),
        Requirement(
            "LEARN-06",
            "A fix is mined from what happened next: the same tool succeeding with changed arguments, or "
            "after another tool's success, becomes a candidate fix that says what changed, in words and "
            "as data.",
        ),
        Requirement(
            "LEARN-07",
            "Trust counts evidence about the fix: it rises when the fix was offered in that session and "
            "the tool then worked, falls when it was offered and the same error came back, and is not "
            "moved by unrelated successes; what was offered is remembered across processes.",
        ),
        Requirement(
            "LEARN-08",
            "A user's correction is trusted at once, and can be overruled by evidence or by another correction.",
        ),
        Requirement(
            "LEARN-09",
            "Learnings can be listed, filtered (category, trust, age), counted, deleted, and cleaned up "
            "with a dry run by default.",
        ),
        Requirement(
            "LEARN-10",
            "Watching a tool changes neither its result nor its exception, signature or docstring, sync "
            "or async, generators included; if recording fails the tool does not.",
        ),
        Requirement(
            "LEARN-11",
            "Trust orders what matches alike: an unproven learning never stands above a proven one that "
            "matches as well.",
        ),
        # Skills
        Requirement(
            "SKILL-01",
            "A skill has a unique name, description, kind (composite, script, template, instruction), "
            "definition, JSON-Schema parameters, status (draft, active, deprecated), author, approval "
            "flag, use and success counts, last use.",
        ),
        Requirement(
            "SKILL-02",
            "A definition that does not fit its kind is rejected with the reason, before it is stored.",
        ),
        Requirement(
            "SKILL-03",
            "New skills are drafts until activated; `auto_approve_skills` activates them at once; only "
            "active skills are retrieved, listed for agents, or run.",
        ),
        Requirement(
            "SKILL-04",
            "Composite skills run their steps through the agent's own tools in order, pass earlier "
            "results and parameters into later steps, stop at the first failure and report every step; a "
            "dry run returns the plan.",
        ),
        Requirement(
            "SKILL-05",
            "Scripts are validated when they are activated and again before they run; fork bombs, "
            "recursive deletion of root or home, pipe-to-shell, raw device writes, formatting and raw "
            "disk copies are stopped, also when quoted, split, aliased, encoded or assembled from "
            "variables.",
        ),
        Requirement(
            "SKILL-06",
            "Scripts run in a sandbox: no network, read-only system, a private writable directory, no "
            "access to Hexad's own database or the user's home, with limits on time, memory, processes "
            "and output; without a sandbox they are refused.",
        ),
        Requirement(
            "SKILL-07",
            "Templates render in a sandboxed engine with limits on size and time; a missing parameter is "
            "an error that names it.",
        ),
        Requirement(
            "SKILL-08",
            "Parameters are validated against the skill's schema before anything runs.",
        ),
        Requirement(
            "SKILL-09",
            "`SKILL.md` folders (the Agent Skills format) import and export without loss, and are refused "
            "when they escape their folder or exceed limits.",
        ),
        Requirement(
            "SKILL-10",
            "A sequence of tool calls that succeeded in several sessions is offered as a draft composite "
            "skill with its varying arguments as parameters.",
        ),
        Requirement(
            "SKILL-11",
            "Each active skill is available to the agent as a tool `skill_<name>`, from the next start of "
            "the agent on.",
        ),
        # Agent tools and configuration
        Requirement(
            "META-01",
            "The agent has `save_knowledge`, `search_knowledge`, `save_learning`, `search_learnings`, "
            "`create_skill`, `list_skills`; each validates its input, answers with a status, and is "
            "audited; what they save has the origin agent.",
        ),
        Requirement(
            "CONF-01",
            "The knowledge system is off unless enabled; when off, nothing is created, connected to, read "
            "or changed, retrieval is empty, a save is an error that says how to enable it, and tools and "
            "models pass through untouched.",
        ),
        Requirement(
            "CONF-02",
            "Turning it off again leaves the data where it is; turning it on finds it.",
        ),
        Requirement(
            "CONF-03",
            "Settings come from arguments, environment, and a configuration file, in this order of "
            "strength; an unknown key or a value out of range is an error that names it.",
        ),
        Requirement(
            "CONF-04",
            "Secrets (keys, tokens, passwords in common shapes) are redacted before anything is stored, "
            "logged or put into a prompt; the caller is told what was redacted and can override it for "
            "one save.",
        ),
        # Retrieval quality
        Requirement(
            "EVAL-01",
            "`hexad eval` measures retrieval on anyone's data, with baselines in the same run, as a "
            "table, JSON and a page.",
        ),
        Requirement(
            "EVAL-02",
            "What was used helps find it next time: bounded, decaying, inspectable, resettable, within its namespace.",
        ),
        Requirement(
            "EVAL-03",
            "A question about nothing stored is answered with nothing, as far as the floor can tell, and "
            "the floor's price in recall is measured.",
        ),
        Requirement(
            "EVAL-04",
            "With the semantic extra entries are found by meaning; without it everything works, by words; "
            "embedders are never mixed.",
        ),
    )
}
