// The pages work without this script. It adds keys, ticking all rows, the colour scheme, files, and the live log.
"use strict";

const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const one = (selector, within = document) => within.querySelector(selector);

// --- the colour scheme: a cookie, which the server reads before it draws the page
for (const button of all("[data-theme-switch]")) {
  button.addEventListener("click", () => {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
    const next = now === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    document.cookie = `hexad_theme=${next}; path=/; max-age=31536000; samesite=strict`;
  });
}

// --- forms: a choice that sends at once, a question before what cannot be undone
for (const field of all("[data-send]")) field.addEventListener("change", () => field.form.requestSubmit());
document.addEventListener("submit", (event) => {
  const words = event.submitter?.dataset.ask ?? event.target.dataset.ask;
  if (words && !confirm(words)) event.preventDefault();
});
for (const box of all("[data-tick-all]")) {
  const rows = () => all("input[name=key][type=checkbox]");
  const button = one("[data-needs-tick]");
  const show = () => {
    const ticked = rows().filter((row) => row.checked).length;
    box.checked = ticked > 0 && ticked === rows().length;
    if (button) { button.disabled = ticked === 0; one("span", button).textContent = ticked ? ` ${ticked}` : ""; }
  };
  box.addEventListener("change", () => { for (const row of rows()) row.checked = box.checked; show(); });
  for (const row of rows()) row.addEventListener("change", show);
  show();
}
for (const file of all("input[type=file][data-into]")) {
  file.addEventListener("change", async () => { if (file.files[0]) one(file.dataset.into).value = await file.files[0].text(); });
}

// --- keys: j and k walk through the queue, a e r decide, / searches, g and a letter go to a page
const cards = all(".queue .card");
let here = -1, going = false;
const walk = (step) => {
  if (!cards.length) return;
  here = Math.min(cards.length - 1, Math.max(0, here + step));
  for (const [place, card] of cards.entries()) card.classList.toggle("here", place === here);
  cards[here].scrollIntoView({ block: "nearest" });
};
const press = (name) => {
  if (here < 0) walk(1);
  const found = cards[here] && one(`[data-key=${name}]`, cards[here]);
  if (!found?.checkVisibility()) return;
  const text = name === "e" && (found.matches("textarea") ? found : one("textarea", found));
  if (text) { found.open = true; text.focus(); } else found.click();
};
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select");
  if (typing && event.key === "Escape") return typing.blur();
  if (typing && event.key === "Enter" && (event.ctrlKey || event.metaKey)) return typing.form?.requestSubmit();
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (going) one(`nav a[data-go="${CSS.escape(event.key)}"]`)?.click();
  else if (event.key === "/") { event.preventDefault(); one("[data-search]")?.focus(); }
  else if (event.key === "j" || event.key === "k") walk(event.key === "j" ? 1 : -1);
  else if (["a", "e", "r"].includes(event.key)) { event.preventDefault(); press(event.key); }
  going = !going && event.key === "g";
});

// --- the log, as it grows: text alone, never markup
const live = one("[data-live]");
if (live) {
  const source = new EventSource(live.dataset.live);
  source.addEventListener("change", (event) => {
    const record = JSON.parse(event.data);
    const row = document.createElement("tr");
    const texts = [record.sequence, record.at.slice(0, 16).replace("T", " "), record.actor, record.action, record.target, record.session];
    const kinds = ["tight soft wide", "tight", "", "", "", "wide soft"];
    texts.forEach((text, place) => row.append(Object.assign(document.createElement("td"), { textContent: text, className: kinds[place] })));
    live.prepend(row);
  });
  addEventListener("pagehide", () => source.close());
}
