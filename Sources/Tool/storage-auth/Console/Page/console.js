"use strict";

// The page of the console: what all views share, and the requests. Every string from the server goes into the page as
// text, never as markup.

const element = (id) => document.getElementById(id);

// Creates an element with a class and text or children.
function make(name, className, ...content) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...content.filter((part) => part !== null && part !== undefined));
  return made;
}

// A name or path from a client, whose direction does not affect the text around it.
const isolatedText = (text) => make("bdi", "", text);

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

// The server escapes what it shows; a name or value that is decoded here is escaped here.
const escaped = (text) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu,
  (character) => `\\u{${character.codePointAt(0).toString(16).toUpperCase()}}`);

// Creates a button that does something when it is clicked.
function action(text, act, className = "action") {
  const button = make("button", className, text);
  button.type = "button";
  button.addEventListener("click", act);
  return button;
}

let messageTimer = null;

// Says what happened, for some seconds; an error stays until the next message.
function showMessage(text, isError = false) {
  clearTimeout(messageTimer);
  element("message").textContent = text;
  element("message").classList.toggle("error", isError);
  if (!isError) messageTimer = setTimeout(() => showMessage(""), 6000);
}

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    showMessage(`Copied: ${what}.`);
  } catch {
    showMessage("The browser did not let the page copy. Select the text instead.", true);
  }
}

// Asks before something is lost.
function ask(text, verb) {
  const dialog = element("question");
  element("question-text").textContent = text;
  element("question-yes").textContent = verb;
  dialog.showModal();
  return new Promise((resolve) => {
    const end = (answer) => {
      dialog.close();
      resolve(answer);
    };
    element("question-yes").onclick = () => end(true);
    element("question-no").onclick = () => end(false);
    dialog.oncancel = () => end(false);
  });
}

// Returns a query; the console reads + as itself.
const queryOf = (values) => new URLSearchParams(values).toString().replaceAll("+", "%20");

// Sends a request to the console, and returns the response, or null after saying why it failed.
async function call(path, options) {
  const answer = await fetch(path, options).catch(() => null);
  if (answer?.ok) return answer;
  const document = await answer?.json().catch(() => null);
  showMessage(document?.error?.message ?? (answer ? `The console answered ${answer.status}.` : "The console does not answer."), true);
  return null;
}

// The lines of a table of names and values, with a button that copies them.
function table(title, pairs, separator = ": ") {
  if (!pairs.length) return null;
  const body = make("tbody", "", ...pairs.map(([name, value]) => {
    const head = make("th", "", name);
    head.scope = "row";
    return make("tr", "", head, make("td", "", value));
  }));
  const lines = pairs.map((pair) => pair.join(separator)).join("\n");
  return make("section", "pairs", make("h3", "", title, action("Copy", () => copy(lines, title.toLowerCase()), "quiet")),
    make("table", "", body));
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
let isPaused = false;
// Whether the page still shows what runs, because no view has been selected.
let isFresh = true;
// The name of the server's list, and the request of a link that has not arrived yet.
let log = "";
let linkedLog = "";
let linked = null;
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
  // A presigned URL is shown as its path; its parameters are in a table.
  const target = request.presigned ? request.target.split("?")[0] : request.target;
  row.append(
    badge(request),
    make("div", "what", make("span", "method", request.method), isolatedText(target)),
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
  if (isPaused) {
    pending = pending.slice(-limit);
    element("pause").textContent = `Resume (${pending.length})`;
    return;
  }
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
  list.hidden = false;
  while (requests.length > limit) {
    const oldest = requests.shift();
    rows.get(oldest.n)?.remove();
    rows.delete(oldest.n);
  }
  // A reader who has scrolled down keeps the rows in view.
  if (!isAtTop) list.scrollTop += list.scrollHeight - height;
  showCounts();
  if (isFresh && arrived.length) show("requests");
  if (linked && rows.has(linked)) select(linked);
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
  refreshKeys();
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
  element("list").hidden = true;
  element("list").removeAttribute("aria-activedescendant");
  selected = null;
  element("detail").replaceChildren(make("p", "empty", "Select a request to see its details."));
  element("view-requests").dataset.pane = 0;
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
  linked = null;
  history.replaceState(null, "", `#requests/${log}/${number}`);
  element("view-requests").dataset.pane = 1;
  showDetail(requests.find((request) => request.n === number));
}

// Selects the next shown request in a direction: 1 is down, towards older requests.
function move(direction) {
  const visibleRequests = requests.filter((request) => !rows.get(request.n).hidden).reverse();
  if (!visibleRequests.length) return;
  const index = visibleRequests.findIndex((request) => request.n === selected);
  const next = index < 0 ? 0 : Math.min(Math.max(index + direction, 0), visibleRequests.length - 1);
  select(visibleRequests[next].n);
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

// The parameters of a target, decoded.
function parameters(target) {
  const query = target.split("?").slice(1).join("?");
  if (!query) return [];
  const decoded = (text) => {
    try {
      return escaped(decodeURIComponent(text.replaceAll("+", " ")));
    } catch {
      return text;
    }
  };
  return query.split("&").map((part) => {
    const [name, ...value] = part.split("=");
    return [decoded(name), decoded(value.join("="))];
  });
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

// The options with which curl signs for S3, whose signature the ports of OSS and COS accept too.
const curlSignature = (region, id, secret) =>
  `--aws-sigv4 "aws:amz:${region}:s3" --user "$${id}:$${secret}" -H 'x-amz-content-sha256: UNSIGNED-PAYLOAD'`;

// The request as a line for curl, which signs it again if curl can; masked values have to be filled in otherwise.
function curlLine(request, headers) {
  const server = servers.find(({ service }) => service === request.endpoint);
  const host = headers.find(([name]) => name === "host")?.[1] ?? "";
  const words = ["curl"];
  if (request.method === "HEAD") words.push("--head");
  else if (request.method !== "GET") words.push("-X", request.method);
  let sent = headers.filter(([name]) => !["host", "content-length", "connection", "accept-encoding"].includes(name));
  const signs = sent.some(([name]) => name === "authorization") && request.scheme?.startsWith("S3");
  if (signs && server) {
    words.push(curlSignature(server.region, ...server.variables));
    sent = sent.filter(([name]) => !["authorization", "x-amz-date", "x-amz-content-sha256"].includes(name));
  }
  for (const [name, value] of sent) words.push("-H", quoted(`${name}: ${value}`));
  if (request.received) words.push("--data-binary", "@FILE");
  words.push(quoted((server?.url ?? `http://${host}`) + request.target));
  return words.join(" ");
}

async function showDetail(request) {
  const detail = element("detail");
  const status = request.status === null ? null : `${request.status}${request.code ? ` ${request.code}` : ""}`;
  const brief = [verdicts[request.outcome]?.[1], status, services[request.endpoint], duration(request.microseconds)];
  const heading = make("h2", "", badge(request),
    make("span", "", `${request.method} `, isolatedText(request.target.split("?")[0])));
  const about = facts([
    ["Authorization", authorization(request)],
    ["Time", fullTime(request.time)],
    ["Body of the request", request.received === null ? null : size(request.received)],
    ["Body of the response", size(request.sent)],
    ["Bucket", request.bucket && isolatedText(request.bucket), true],
    ["Object", request.key && isolatedText(request.key), true],
    ["Message", request.message && make("span", "isolated", request.message), true],
  ]);
  const actions = make("p", "actions", action("Copy link", () => copy(location.href, "a link to this request")));
  detail.replaceChildren(
    heading, make("p", "brief", brief.filter((part) => part).join(" · ")), actions, about,
    table("Parameters", parameters(request.target), "=") ?? "");
  detail.parentElement.scrollTop = 0;
  const answer = await fetch(`requests/${request.n}`).catch(() => null);
  if (selected !== request.n) return;
  if (!answer?.ok) {
    detail.append(make("p", "note", "The headers and the explanation are no longer kept."));
    return;
  }
  const kept = await answer.json();
  if (selected !== request.n) return;
  actions.prepend(action("Copy as curl", () => copy(curlLine(request, kept.request), "a line for curl")));
  detail.append(table("Request headers", kept.request) ?? "", table("Response headers", kept.response) ?? "");
  const explanation = kept.explanation;
  if (!explanation) return;
  about.before(makeCause(explanation), ...explanation.strings.map((strings) => makeStrings(strings, explanation.basis)));
}

const basisTexts = {
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
  if (explanation.strings.length) card.append(make("p", "note", basisTexts[explanation.basis] ?? ""));
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
    log = hello.log;
    if (linked && linkedLog !== log) {
      linked = null;
      showMessage("The link belongs to an earlier start of the console, whose requests are no longer kept.", true);
    }
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
