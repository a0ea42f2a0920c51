"use strict";
// The page says all that it has to say without this script, which sorts, filters and finds.

function made(name, attributes, text) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

// --- tables ---

function numberIn(cell) {
  const shown = (cell.querySelector(".value") || cell).textContent.replace(/[\s,%<>+]/g, "").replace("\u2212", "-");
  const number = Number.parseFloat(shown);
  return Number.isNaN(number) ? null : number;
}

function compared(first, second, place, numeric) {
  const [one, other] = [first, second].map((row) => row.cells[place]);
  if (!numeric) return one.textContent.trim().localeCompare(other.textContent.trim(), "en", { numeric: true });
  const [a, b] = [numberIn(one), numberIn(other)];
  if (a === null || b === null) return (a === null) - (b === null);
  return a - b;
}

function sortable(table) {
  const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  const body = table.tBodies[0];
  heads.forEach((head, place) => {
    const numeric = head.classList.contains("number");
    const button = made("button", { type: "button", class: "sort", title: "Sort by this column" });
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const was = head.getAttribute("aria-sort");
      const down = was === null ? numeric : was === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const known = [...body.rows].filter((row) => !numeric || numberIn(row.cells[place]) !== null);
      const unknown = [...body.rows].filter((row) => !known.includes(row));
      known.sort((first, second) => compared(first, second, place, numeric) * (down ? -1 : 1));
      body.append(...known, ...unknown);
    });
  });
}

function filterable(table) {
  const box = made("input", { type: "search", placeholder: "Filter rows", "aria-label": "Filter rows" });
  const count = made("span", { role: "status" });
  box.addEventListener("input", () => {
    const wanted = box.value.trim().toLowerCase();
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      row.hidden = !row.textContent.toLowerCase().includes(wanted);
      shown += row.hidden ? 0 : 1;
    }
    count.textContent = wanted ? `${shown} of ${table.tBodies[0].rows.length}` : "";
  });
  const bar = made("p", { class: "tools" });
  bar.append(box, count);
  (table.closest(".scroll") || table).before(bar);
}

for (const table of document.querySelectorAll("table")) {
  if (table.matches(".inputs, .spans") || !table.tHead || !table.tBodies[0]) continue;
  const rows = table.tBodies[0].rows.length;
  if (rows > 1) sortable(table);
  if (rows > 10) filterable(table);
}

// --- items ---

function chosen(labels, name, change) {
  const select = made("select", { "aria-label": name });
  select.append(made("option", { value: "" }, name));
  for (const label of labels) select.append(made("option", { value: label }, label));
  select.addEventListener("change", change);
  return select;
}

function browsable(section) {
  const examples = [...section.querySelectorAll(".example")];
  const groups = [...section.querySelectorAll("div[data-outcome]:not(.example)")];
  const said = (name) => [...new Set(examples.map((one) => one.dataset[name]).filter(Boolean))];
  let at = -1;
  const search = made("input", { type: "search", placeholder: "Search items", "aria-label": "Search items" });
  const filters = ["judge", "outcome", "part"].map((name) => [name, said(name)]).filter(([, all]) => all.length > 1);
  const selects = filters.map(([name, all]) => [name, chosen(all, `Any ${section.dataset[name] || name}`, apply)]);
  const [back, next] = ["Previous item", "Next item"].map((name) => made("button", { type: "button" }, name));
  const steps = made("span", { class: "steps" });
  steps.append(back, next);
  const count = made("span", { role: "status" });
  const shown = () => examples.filter((one) => !one.hidden);

  function apply() {
    const wanted = search.value.trim().toLowerCase();
    for (const one of examples) {
      const fits = selects.every(([name, select]) => !select.value || one.dataset[name] === select.value);
      one.hidden = !fits || !one.textContent.toLowerCase().includes(wanted);
    }
    for (const group of groups) group.hidden = ![...group.querySelectorAll(".example")].some((one) => !one.hidden);
    at = -1;
    count.textContent = `${shown().length} of ${examples.length} shown`;
  }
  function go(place) {
    const open = shown();
    if (!open.length) return;
    at = (place + open.length) % open.length;
    history.replaceState(null, "", `#item=${encodeURIComponent(open[at].dataset.item)}`);
    reach(open[at]);
  }
  function reach(example) {
    section.querySelectorAll(".example.found").forEach((one) => one.classList.remove("found"));
    example.classList.add("found");
    for (let one = example.closest("details"); one; one = one.parentElement.closest("details")) one.open = true;
    example.setAttribute("tabindex", "-1");
    example.focus({ preventScroll: true });
    example.scrollIntoView({ block: "center" });
  }
  function linked() {
    const wanted = location.hash.startsWith("#item=") ? decodeURIComponent(location.hash.slice(6)) : null;
    const asked = (one) => one.dataset.item === wanted;
    if (!examples.some(asked)) return;
    if (!shown().some(asked)) showAll();
    at = shown().findIndex(asked);
    reach(shown()[at]);
  }
  function showAll() {
    for (const one of [search, ...selects.map(([, select]) => select)]) one.value = "";
    apply();
  }
  search.addEventListener("input", apply);
  back.addEventListener("click", () => go(at < 0 ? -1 : at - 1));
  next.addEventListener("click", () => go(at + 1));
  window.addEventListener("hashchange", linked);
  const bar = made("p", { class: "tools" });
  bar.append(search, ...selects.map(([, select]) => select), steps, count);
  section.querySelector("[data-outcome]").before(bar);
  apply();
  linked();
}

for (const section of document.querySelectorAll("section.examples")) browsable(section);

// --- the first screen ---

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", () => {
    navigator.clipboard?.writeText(button.dataset.copy);
    button.textContent = "Copied";
  });
}

const links = [...document.querySelectorAll(".top a")];
function mark() {
  const begun = links.filter((link) => document.querySelector(link.hash)?.getBoundingClientRect().top < 120);
  const now = begun.pop() || links[0];
  for (const link of links) link.toggleAttribute("aria-current", link === now);
}
addEventListener("scroll", mark, { passive: true });
mark();
