"use strict";

// The page of the console. Every string from the server goes into the page as text, never as markup.

const element = (id) => document.getElementById(id);

// Creates an element with a class and text or children.
function make(name, className, ...content) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...content.filter((part) => part !== null && part !== undefined));
  return made;
}

// A name or path from a client, whose direction does not affect the text around it.
const foreign = (text) => make("bdi", "", text);

const services = {
  oss: "OSS", cos: "COS", s3: "S3", sts: "STS", appServer: "App server", metadata: "Metadata", node: "Aspera node",
  transfer: "Aspera transfer", asperaOnCloud: "Aspera on Cloud", faspex: "Faspex",
};
const verdicts = {
  accepted: ["✓", "accepted"], refused: ["✕", "refused"], fault: ["!", "injected fault"], closed: ["–", "connection closed"],
};

function badge(request) {
  const [sign, name] = verdicts[request.outcome] ?? ["?", request.outcome];
  const made = make("span", `badge ${request.outcome}`, sign);
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", name);
  made.title = name;
  return made;
}

const twoDigits = (number) => String(number).padStart(2, "0");

function clock(text) {
  const date = new Date(text);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(":");
}

function fullTime(text) {
  const date = new Date(text);
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())} ${clock(text)}`;
}

function size(bytes) {
  if (bytes === null) return "–";
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (bytes >= 1024 && unit < units.length - 1) {
    bytes /= 1024;
    unit += 1;
  }
  if (unit === 0 && bytes === 1) return "1 byte";
  return `${unit === 0 || bytes >= 100 ? Math.round(bytes) : bytes.toFixed(1)} ${units[unit]}`;
}

function duration(microseconds) {
  if (microseconds < 1000) return `${microseconds} µs`;
  if (microseconds < 1_000_000) return `${(microseconds / 1000).toFixed(1)} ms`;
  return `${(microseconds / 1_000_000).toFixed(1)} s`;
}

// MARK: Requests

// The latest requests, the newest last, and their rows by number.
let requests = [];
let limit = 1000;
const rows = new Map();
let selected = null;
let pending = [];
let isDrawing = false;
const totals = { all: 0, refused: 0 };

function authorization(request) {
  const key = request.keyID ? ` with ${request.keyID}` : "";
  switch (request.authorization) {
    case "verified": return `${request.scheme}${request.presigned ? ", presigned" : ""}${key}`;
    case "anonymous": return "anonymous, public data";
    case "rejected": return request.keyID ? `rejected${request.presigned ? ", presigned" : ""}${key}` : "not signed";
    default: return "";
  }
}

function makeRow(request) {
  const row = make("div", "row");
  row.id = `request-${request.n}`;
  row.setAttribute("role", "option");
  row.setAttribute("aria-selected", "false");
  const about = make("div", "about", make("span", "service", services[request.endpoint] ?? request.endpoint));
  const why = request.cause ?? request.code;
  if (why) about.append(" · ", make("span", "why", why));
  const how = authorization(request);
  if (how && request.authorization !== "rejected") about.append(" · ", make("span", "isolated", how));
  row.append(
    badge(request),
    make("div", "what", make("span", "method", request.method), foreign(request.target)),
    make("div", "time", clock(request.time)), about,
    make("div", "spent", `${request.status ?? "–"} · ${duration(request.microseconds)}`));
  row.addEventListener("click", () => select(request.n));
  return row;
}

function isShown(request) {
  const verdict = document.querySelector("input[name=verdict]:checked").value;
  if (verdict === "refused" && request.outcome === "accepted") return false;
  const service = element("service").value;
  if (service && request.endpoint !== service) return false;
  const text = element("text").value.trim().toLowerCase();
  if (!text) return true;
  return [request.method, request.target, request.key, request.bucket, request.code, request.cause, request.keyID,
    request.scheme, String(request.status)].some((value) => value?.toLowerCase().includes(text));
}

// Draws all requests that arrived since the last frame at once.
function draw() {
  isDrawing = false;
  const arrived = pending.slice(-limit);
  pending = [];
  const list = element("list");
  const isAtTop = list.scrollTop < 4;
  const height = list.scrollHeight;
  const fragment = document.createDocumentFragment();
  for (const request of arrived) {
    const row = makeRow(request);
    row.classList.add("new");
    row.hidden = !isShown(request);
    requests.push(request);
    rows.set(request.n, row);
    fragment.prepend(row);
  }
  list.prepend(fragment);
  while (requests.length > limit) {
    const oldest = requests.shift();
    rows.get(oldest.n)?.remove();
    rows.delete(oldest.n);
  }
  // A reader who has scrolled down keeps the rows in view.
  if (!isAtTop) list.scrollTop += list.scrollHeight - height;
  showCounts();
}

function receive(request) {
  pending.push(request);
  totals.all += 1;
  if (request.outcome !== "accepted") totals.refused += 1;
  if (!isDrawing) {
    isDrawing = true;
    // A page in the background gets no frames.
    if (document.hidden) setTimeout(draw, 200);
    else requestAnimationFrame(draw);
  }
  if (request.outcome === "accepted" && request.method !== "GET" && request.method !== "HEAD") refreshObjects();
}

function showCounts() {
  const kept = totals.all > requests.length ? `, the last ${requests.length} shown` : "";
  const unit = totals.all === 1 ? "request" : "requests";
  element("counts").textContent = totals.all ? `${totals.all} ${unit}, ${totals.refused} not accepted${kept}` : "";
  const visible = requests.some((request) => !rows.get(request.n).hidden);
  element("empty").hidden = visible;
  element("empty").textContent = requests.length
    ? "No request matches the filters."
    : "No request yet. Point a client at one of the services, and its requests appear here.";
  element("more").hidden = visible || !requests.length;
}

function filter() {
  for (const request of requests) rows.get(request.n).hidden = !isShown(request);
  showCounts();
}

function forget() {
  requests = [];
  pending = [];
  rows.clear();
  totals.all = 0;
  totals.refused = 0;
  element("list").replaceChildren();
  showCounts();
}

function select(number) {
  rows.get(selected)?.setAttribute("aria-selected", "false");
  selected = number;
  const row = rows.get(number);
  if (!row) return;
  row.setAttribute("aria-selected", "true");
  row.scrollIntoView({ block: "nearest" });
  element("list").setAttribute("aria-activedescendant", row.id);
  showDetail(requests.find((request) => request.n === number));
}

// Selects the next shown request in a direction: 1 is down, towards older requests.
function move(direction) {
  const shown = requests.filter((request) => !rows.get(request.n).hidden).reverse();
  if (!shown.length) return;
  const index = shown.findIndex((request) => request.n === selected);
  const next = index < 0 ? 0 : Math.min(Math.max(index + direction, 0), shown.length - 1);
  select(shown[next].n);
}

// MARK: Details

function facts(pairs) {
  const list = make("dl", "");
  for (const [name, value, isWide] of pairs) {
    if (value === null || value === undefined || value === "") continue;
    list.append(make("div", isWide ? "wide" : "", make("dt", "", name), make("dd", "", value)));
  }
  return list;
}

async function showDetail(request) {
  const detail = element("detail");
  const status = request.status === null ? null : `${request.status}${request.code ? ` ${request.code}` : ""}`;
  const brief = [verdicts[request.outcome]?.[1], status, services[request.endpoint], duration(request.microseconds)];
  const heading = make("h2", "", badge(request),
    make("span", "", `${request.method} `, foreign(request.target)));
  const about = facts([
    ["Authorization", authorization(request)],
    ["Time", fullTime(request.time)],
    ["Body of the request", request.received === null ? null : size(request.received)],
    ["Body of the response", size(request.sent)],
    ["Bucket", request.bucket && foreign(request.bucket), true],
    ["Object", request.key && foreign(request.key), true],
    ["Message", request.message && make("span", "isolated", request.message), true],
  ]);
  detail.replaceChildren(heading, make("p", "brief", brief.filter((part) => part).join(" · ")), about);
  detail.scrollTop = 0;
  if (request.cause === null) return;
  const answer = await fetch(`requests/${request.n}`).catch(() => null);
  if (selected !== request.n) return;
  if (!answer?.ok) {
    detail.append(make("p", "note", "The explanation is no longer kept."));
    return;
  }
  const explanation = await answer.json();
  if (selected !== request.n || !explanation) return;
  about.before(makeCause(explanation), ...explanation.strings.map((strings) => makeStrings(strings, explanation.basis)));
}

const bases = {
  proven: "The signature of the request is valid for the client's strings below: this is what the client signed.",
  stated: "The strings follow from what the request states about its signature.",
  unknown: "The client's strings are not known to the service.",
};

function makeCause(explanation) {
  const card = make("section", "cause", make("h3", "", explanation.title), make("p", "", explanation.text),
    make("p", "remedy", explanation.remedy));
  if (explanation.line) {
    const compared = make("dl", "compared", make("dt", "", "Line"), make("dd", "", explanation.line),
      make("dt", "", "Client"), make("dd", "", explanation.sent ?? "(none)"));
    if (explanation.seen !== null || explanation.basis === "proven") {
      compared.append(make("dt", "", "Service"), make("dd", "", explanation.seen ?? "(none)"));
    }
    card.append(compared);
  }
  if (explanation.others.length) card.append(make("p", "note", `Also different: ${explanation.others.join(", ")}`));
  if (explanation.strings.length) card.append(make("p", "note", bases[explanation.basis] ?? ""));
  return card;
}

function makeLine(line, differs) {
  if (!line) return make("td", "absent", "(no such line)");
  const [before, difference, after] = line;
  if (!differs || !difference) return make("td", "", before + difference + after);
  return make("td", "", before, make("mark", "", difference), after);
}

function makeStrings(strings, basis) {
  const table = make("table", "");
  const columns = make("colgroup", "", make("col", "index"), make("col", ""), strings.pair ? make("col", "") : null);
  const single = basis === "stated" ? "From the request" : "Service";
  const pair = basis === "stated" ? [single, "Service requires"] : ["Client signed", "Service signed"];
  const names = strings.pair ? pair : [single];
  const head = make("tr", "", make("th", ""), ...names.map((name) => {
    const cell = make("th", "", name);
    cell.scope = "col";
    return cell;
  }));
  const body = make("tbody", "");
  strings.rows.forEach((row, index) => {
    const line = make("tr", row.differs ? "differs" : "", make("td", "", String(index + 1)));
    if (strings.pair) line.append(makeLine(row.client, row.differs));
    line.append(makeLine(row.service, row.differs));
    if (row.differs) line.setAttribute("aria-label", `line ${index + 1} differs`);
    body.append(line);
  });
  table.append(columns, make("thead", "", head), body);
  return make("section", "strings", make("h3", "", strings.name), table);
}

// MARK: Events

function connect() {
  const state = (name, text) => {
    element("connection").dataset.state = name;
    element("connection-text").textContent = text;
  };
  const source = new EventSource("events");
  source.addEventListener("hello", (event) => {
    const hello = JSON.parse(event.data);
    limit = hello.limit;
    if (!hello.continues) forget();
    state("live", "live");
  });
  source.addEventListener("request", (event) => receive(JSON.parse(event.data)));
  source.addEventListener("error", () => {
    state("lost", "connecting again");
    // The browser connects again by itself, unless the server answered with an error.
    if (source.readyState === EventSource.CLOSED) setTimeout(connect, 3000);
  });
}

// MARK: Objects

let place = null;
let refresh = null;

function refreshObjects() {
  if (refresh || element("view-objects").hidden) return;
  refresh = setTimeout(() => {
    refresh = null;
    showBuckets();
    if (place) openFolder(place.service, place.bucket, place.prefix);
  }, 300);
}

async function showBuckets() {
  const answer = await fetch("buckets").catch(() => null);
  if (!answer?.ok) return;
  const list = document.createDocumentFragment();
  for (const { service, buckets } of (await answer.json()).services) {
    list.append(make("h2", "", services[service]));
    if (!buckets.length) list.append(make("p", "", "no buckets"));
    for (const bucket of buckets) {
      const name = make("span", "name", foreign(bucket.shown));
      const button = make("button", "", name, bucket.public ? make("span", "public", "public") : null,
        make("span", "count", String(bucket.objects)));
      button.title = `created ${fullTime(bucket.created)}`;
      const isOpen = place?.service === service && place?.bucket.name === bucket.name;
      button.setAttribute("aria-current", String(isOpen));
      button.addEventListener("click", () => openFolder(service, bucket, ""));
      list.append(button);
    }
  }
  element("buckets").replaceChildren(list);
}

function showPath() {
  const { service, bucket, prefix } = place;
  const parts = [make("span", "", `${services[service]} / `)];
  const link = (text, target) => {
    const button = make("button", "", foreign(text));
    button.addEventListener("click", () => openFolder(service, bucket, target));
    return button;
  };
  parts.push(link(bucket.shown, ""));
  let end = 0;
  for (const name of prefix.split("/").slice(0, -1)) {
    end += name.length + 1;
    parts.push(make("span", "", " / "), link(shown(name) || "(empty)", prefix.slice(0, end)));
  }
  element("path").replaceChildren(...parts);
}

// The server escapes what it shows; a part of a prefix is escaped here.
const shown = (text) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu,
  (character) => `\\u{${character.codePointAt(0).toString(16).toUpperCase()}}`);

async function openFolder(service, bucket, prefix, after = "") {
  place = { service, bucket, prefix };
  const query = new URLSearchParams({ service, bucket: bucket.name, prefix, after });
  const answer = await fetch(`objects?${query}`).catch(() => null);
  if (place.service !== service || place.bucket !== bucket || place.prefix !== prefix) return;
  const body = element("objects").tBodies[0];
  const message = element("no-objects");
  if (!after) body.replaceChildren();
  showPath();
  for (const button of element("buckets").querySelectorAll("button")) button.setAttribute("aria-current", "false");
  showBuckets();
  if (!answer?.ok) {
    element("objects").hidden = true;
    message.hidden = false;
    message.textContent = "The bucket no longer exists.";
    return;
  }
  const page = await answer.json();
  for (const folder of page.folders) {
    const button = make("button", "", foreign(folder.shown));
    button.addEventListener("click", () => openFolder(service, bucket, folder.prefix));
    body.append(make("tr", "", make("td", "", button), make("td", "number", ""), make("td", "number", "")));
  }
  for (const object of page.objects) {
    const length = make("td", "number", size(object.size));
    length.title = `${object.size} bytes`;
    body.append(make("tr", "", make("td", "", foreign(object.shown)), length,
      make("td", "number", fullTime(object.modified))));
  }
  element("objects").hidden = !body.rows.length;
  message.hidden = body.rows.length > 0;
  message.textContent = "The bucket is empty.";
  element("next-page").hidden = page.next === null;
  element("next-page").onclick = () => openFolder(service, bucket, prefix, page.next);
}

// MARK: Views and keys

function show(view) {
  for (const name of ["requests", "objects"]) {
    element(`view-${name}`).hidden = name !== view;
    element(`tab-${name}`).setAttribute("aria-selected", String(name === view));
    element(`tab-${name}`).tabIndex = name === view ? 0 : -1;
  }
  if (view === "objects") showBuckets();
}

for (const name of ["requests", "objects"]) {
  element(`tab-${name}`).addEventListener("click", () => show(name));
  element(`tab-${name}`).addEventListener("keydown", (event) => {
    if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
    const other = name === "requests" ? "objects" : "requests";
    show(other);
    element(`tab-${other}`).focus();
  });
}

element("filters").addEventListener("input", filter);
element("filters").addEventListener("submit", (event) => event.preventDefault());
element("more").addEventListener("click", () => {
  element("filters").reset();
  filter();
});

element("list").addEventListener("keydown", (event) => {
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, End: Infinity, Home: -Infinity };
  if (event.key in steps) move(steps[event.key]);
  else if (event.key === "Enter") element("detail").focus();
  else return;
  event.preventDefault();
});

document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !["INPUT", "SELECT"].includes(document.activeElement.tagName)) {
    event.preventDefault();
    show("requests");
    element("text").focus();
  } else if (event.key === "Escape" && !element("view-requests").hidden) {
    element("list").focus();
  }
});

showCounts();
connect();
