"use strict";

// The views of the server, the objects and the keys, and what leads from one view to another.

// MARK: Server

// The storage services of the server, with their URLs and regions.
let servers = [];
let signer = null;

// The lines for a terminal that show the first bucket of a service, after one that exports the key.
function commands({ service, url, region, variables: [id, secret], bucket }) {
  const name = bucket ?? "BUCKET";
  const curl = `curl ${curlSignature(region, id, secret)} ${url}/${name}`;
  const own = {
    oss: ["ossutil", `ossutil ls oss://${name} --endpoint ${url} --region ${region} --addressing-style path`],
    cos: ["coscli", `HTTP_PROXY=${url} coscli ls cos://${name} --endpoint cos.${region}.myqcloud.com --protocol http `
      + `--secret-id "$${id}" --secret-key "$${secret}" --init-skip`],
    s3: ["aws", `aws s3 ls s3://${name} --endpoint-url ${url} --region ${region}`],
  }[service];
  const tool = `storage-auth ls ${service}://${name} --endpoint ${url}`;
  const key = `export ${id}=${quoted(signer ?? "KEY_ID")} ${secret}='SECRET'`;
  return [["key", key], ["curl", curl], ...(own ? [own] : []), ["storage-auth", tool]];
}

async function showServer() {
  const answer = await call("server");
  if (!answer) return;
  const server = await answer.json();
  servers = server.services;
  signer = server.signer;
  const accounts = server.accounts.map(({ id, temporary, disabled, number }) => [id, [
    disabled ? "disabled" : "enabled", temporary ? "temporary, with a session token" : "permanent",
    number ? `of account ${number}` : null].filter((part) => part).join(", ")]);
  const sections = servers.map((service) => {
    const lines = commands(service).map(([name, line]) => make("div", "command", make("span", "tool", name),
      make("code", "", line), action("Copy", () => copy(line, `the line for ${name}`), "quiet")));
    return make("section", "service", make("h3", "", `${services[service.service]} `, make("code", "", service.url)),
      ...lines);
  });
  const note = "The lines read the key from the environment. The page shows no secret: replace SECRET by the one that serve "
    + "was given or printed.";
  element("server").replaceChildren(
    make("h2", "", "This local cloud runs"), make("p", "note", note), ...sections,
    table("Keys of accounts", accounts, " ") ?? "", table("Other services", server.others, " ") ?? "");
}

// MARK: Objects

let openedFolder = null;
let object = null;
let refreshTimer = null;

function refreshObjects() {
  if (refreshTimer || element("view-objects").hidden) return;
  refreshTimer = setTimeout(() => {
    refreshTimer = null;
    if (openedFolder) openFolder(openedFolder.service, openedFolder.bucket, openedFolder.prefix);
    else showBuckets();
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
      const button = action("", () => {
        element("view-objects").dataset.pane = 1;
        openFolder(service, bucket, "");
      }, "");
      button.append(make("span", "name", isolatedText(bucket.shown)), bucket.public ? make("span", "public", "public") : "",
        make("span", "count", String(bucket.objects)));
      button.title = `created ${fullTime(bucket.created)}`;
      const isOpen = openedFolder?.service === service && openedFolder?.bucket.name === bucket.name;
      button.setAttribute("aria-current", String(isOpen));
      list.append(button);
    }
  }
  element("buckets").replaceChildren(list);
}

function showPath() {
  const { service, bucket, prefix } = openedFolder;
  const parts = [make("span", "", `${services[service]} / `)];
  const link = (text, target) => action(isolatedText(text), () => openFolder(service, bucket, target), "");
  parts.push(link(bucket.shown, ""));
  let end = 0;
  for (const name of prefix.split("/").slice(0, -1)) {
    end += name.length + 1;
    parts.push(make("span", "", " / "), link(escaped(name) || "(empty)", prefix.slice(0, end)));
  }
  element("path").replaceChildren(...parts);
  element("upload").hidden = false;
}

async function openFolder(service, bucket, prefix, after = "") {
  openedFolder = { service, bucket, prefix };
  const query = queryOf({ service, bucket: bucket.name, prefix, after });
  const answer = await fetch(`objects?${query}`).catch(() => null);
  if (openedFolder.service !== service || openedFolder.bucket !== bucket || openedFolder.prefix !== prefix) return;
  const body = element("objects").tBodies[0];
  const message = element("no-objects");
  if (!after) body.replaceChildren();
  showPath();
  showBuckets();
  if (!answer?.ok) {
    element("objects").hidden = true;
    message.hidden = false;
    message.textContent = "The bucket no longer exists.";
    return;
  }
  const page = await answer.json();
  for (const folder of page.folders) {
    const button = action(isolatedText(folder.shown), () => openFolder(service, bucket, folder.prefix), "");
    body.append(make("tr", "", make("td", "", button), make("td", "number", ""), make("td", "number", "")));
  }
  for (const item of page.objects) {
    const length = make("td", "number", size(item.size));
    length.title = `${item.size} bytes`;
    const named = { service, bucket: bucket.name, key: item.key, shown: item.shown, size: item.size };
    body.append(make("tr", "", make("td", "", action(isolatedText(item.shown), () => showObject(named), "")), length,
      make("td", "number", fullTime(item.modified))));
  }
  element("objects").hidden = !body.rows.length;
  message.hidden = body.rows.length > 0;
  message.textContent = "The folder is empty.";
  element("next-page").hidden = page.next === null;
  element("next-page").onclick = () => openFolder(service, bucket, prefix, page.next);
}

const pathOf = ({ service, bucket, key }, suffix = "", more = {}) =>
  `object${suffix}?${queryOf({ service, bucket, key, ...more })}`;

async function showObject(named) {
  object = named;
  element("view-objects").dataset.pane = 2;
  const download = make("a", "action", "Download");
  download.href = pathOf(named);
  download.download = named.key.split("/").pop() || "object";
  const remove = action("Delete", () => deleteObject(named), "action danger");
  const preview = make("section", "preview");
  const about = make("section", "");
  element("object").replaceChildren(
    make("h2", "", isolatedText(named.shown)), make("p", "brief", `${services[named.service]} · ${size(named.size)}`),
    make("p", "actions", download, remove), preview, makeURLForm(named), about,
    make("p", "note", `The console signs its requests with the key ${signer ?? "of an account"}; they are in the list.`));
  const answer = await call(pathOf(named, "/headers"));
  if (object !== named || !answer) return;
  const headers = await answer.json();
  about.append(table("Metadata", headers) ?? "");
  await showPreview(named, headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "", preview);
}

const previewLimit = { image: 8 << 20, text: 64 << 10 };

// Shows an image, or the beginning of a text.
async function showPreview(named, type, preview) {
  const image = /^image\/(png|jpeg|gif|webp|svg\+xml)$/.test(type) && named.size <= previewLimit.image;
  if (named.size === 0) return preview.append(make("p", "note", "The object is empty."));
  const options = image ? {} : { headers: { Range: `bytes=0-${previewLimit.text - 1}` } };
  const answer = await call(pathOf(named), options);
  const bytes = await answer?.arrayBuffer().catch(() => null);
  if (object !== named || !bytes) return;
  if (image) {
    const reader = new FileReader();
    reader.addEventListener("load", () => {
      const picture = make("img", "");
      picture.alt = `Preview of ${named.shown}`;
      picture.src = reader.result;
      preview.append(picture);
    });
    reader.readAsDataURL(new Blob([bytes], { type }));
    return;
  }
  const isWhole = named.size <= previewLimit.text;
  try {
    // A character that the limit cuts is not an error.
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: !isWhole });
    if (text.includes("\0")) throw new TypeError("binary");
    const block = make("pre", "", text.split(/\r?\n/).map((line) => line.split("\t").map(escaped).join("\t")).join("\n"));
    block.tabIndex = 0;
    block.setAttribute("aria-label", "Preview");
    preview.append(block, isWhole ? "" : make("p", "note", `The first ${size(previewLimit.text)} are shown.`));
  } catch {
    preview.append(make("p", "note", "There is no preview of binary data. Download the object."));
  }
}

function makeURLForm(named) {
  const choice = (name, label, options) => {
    const select = make("select", "", ...options.map(([value, text]) => new Option(text, value)));
    select.name = name;
    return make("label", "field", make("span", "hidden", label), select);
  };
  const form = make("form", "", make("h3", "", "Presigned URL"), make("div", "controls",
    choice("method", "Method", ["GET", "PUT", "HEAD", "DELETE"].map((method) => [method, method])),
    choice("seconds", "Lifetime", [["300", "for 5 minutes"], ["3600", "for 1 hour"], ["86400", "for 1 day"]]),
    make("button", "action", "Create")), make("div", "result"));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const answer = await call(pathOf(named, "/url", Object.fromEntries(new FormData(form))));
    if (!answer) return;
    const { url, expiration } = await answer.json();
    form.lastChild.replaceChildren(make("code", "", url), make("p", "actions",
      action("Copy URL", () => copy(url, "the presigned URL")), make("span", "note", `expires ${fullTime(expiration)}`)));
  });
  return form;
}

async function deleteObject(named) {
  if (!await ask(`Delete ${named.shown}?`, "Delete")) return;
  if (!await call(pathOf(named), { method: "DELETE" })) return;
  showMessage(`Deleted ${named.shown}.`);
  if (object === named) {
    object = null;
    element("object").replaceChildren(make("p", "empty", "Select an object to see and change it."));
    element("view-objects").dataset.pane = 1;
  }
  refreshObjects();
}

async function upload(files) {
  const { service, bucket, prefix } = openedFolder;
  for (const file of files) {
    const named = { service, bucket: bucket.name, key: prefix + file.name, shown: escaped(prefix + file.name) };
    const query = queryOf({ service, bucket: bucket.name, prefix: named.key });
    const known = await call(`objects?${query}`);
    if (!known) return;
    const exists = (await known.json()).objects.some(({ key }) => key === named.key);
    if (exists && !await ask(`Replace ${named.shown}?`, "Replace")) continue;
    showMessage(`Uploading ${named.shown} …`);
    const headers = file.type ? { "Content-Type": file.type } : {};
    if (!await call(pathOf(named), { method: "PUT", body: file, headers })) return;
    showMessage(`Uploaded ${named.shown}, ${size(file.size)}.`);
  }
  refreshObjects();
}

// MARK: Keys

let keys = [];
let selectedKey = null;
let refreshingKeys = null;

function refreshKeys() {
  if (refreshingKeys || element("view-keys").hidden) return;
  refreshingKeys = setTimeout(() => {
    refreshingKeys = null;
    showKeys();
  }, 300);
}

function lifetime(key, now) {
  const seconds = Math.round((new Date(key.expiration) - new Date(now)) / 1000);
  if (key.state !== "valid") return key.state;
  return seconds < 120 ? `${seconds} s left` : seconds < 7200 ? `${Math.round(seconds / 60)} min left`
    : `${(seconds / 3600).toFixed(1)} h left`;
}

// What the server knows of the caller: a key, or only the service that was called.
const caller = (key) => key.caller ?? { sts: "an identity token", appServer: "an app", metadata: "an instance" }[key.issuer];

const count = (number, unit) => `${number} ${unit}${number === 1 ? "" : "s"}`;

async function showKeys() {
  const answer = await call("keys");
  if (!answer) return;
  const { keys: found, now } = await answer.json();
  keys = found;
  element("keys").replaceChildren(...keys.map((key) => {
    const state = { valid: ["✓", "accepted"], expired: ["–", "closed"], revoked: ["✕", "refused"] }[key.state];
    const mark = make("span", `badge ${state[1]}`, state[0]);
    mark.setAttribute("role", "img");
    mark.setAttribute("aria-label", key.state);
    const button = action(mark, () => {
      selectedKey = key.id;
      element("view-keys").dataset.pane = 1;
      showKeys();
    }, "row");
    button.append(
      make("span", "what", isolatedText(escaped(key.id))), make("span", "time", lifetime(key, now)),
      make("span", "about", make("span", "service", services[key.service]), ` · for ${caller(key)}, `,
        key.policy ? "with a policy" : "without a policy"),
      make("span", "spent", [count(key.uses, "use"), key.refusals ? count(key.refusals, "refusal") : null]
        .filter((part) => part).join(", ")));
    button.setAttribute("aria-current", String(key.id === selectedKey));
    return make("li", "", button);
  }));
  element("no-keys").hidden = keys.length > 0;
  const key = keys.find(({ id }) => id === selectedKey);
  if (key) showKey(key, now);
}

function policyText(policy) {
  try {
    return JSON.stringify(JSON.parse(policy), null, 2).split("\n").map(escaped).join("\n");
  } catch {
    return escaped(policy);
  }
}

function showKey(key, now) {
  const requested = requests.filter(({ keyID }) => keyID === escaped(key.id)).reverse().slice(0, 20);
  const policy = make("pre", "", key.policy ? policyText(key.policy) : "The key may do what its role may: everything in its service.");
  policy.tabIndex = 0;
  policy.setAttribute("aria-label", "Policy");
  element("key").replaceChildren(
    make("h2", "", isolatedText(escaped(key.id))),
    make("p", "brief", `${services[key.service]} · issued by ${services[key.issuer]} · ${lifetime(key, now)}`),
    make("p", "actions", ...(key.state === "valid" ? [action("Revoke", () => revoke(key), "action danger")] : []),
      action("Copy ID", () => copy(key.id, "the key ID"))),
    facts([
      ["Caller", caller(key)], ["State", key.state], ["Uses", String(key.uses)], ["Refusals", String(key.refusals)],
      ["Issued", fullTime(key.start)], ["Expires", fullTime(key.expiration)],
      ["Scope: role", key.role && isolatedText(key.role), true], ["Scope: session", isolatedText(key.session), true],
    ]),
    make("section", "pairs", make("h3", "", "Policy"), policy),
    requested.length ? make("section", "pairs", make("h3", "", "Latest requests"), ...requested.map((request) =>
      action(`${verdicts[request.outcome]?.[0] ?? "?"} ${request.method} ${request.target.split("?")[0]}`, () => {
        show("requests");
        select(request.n);
      }, "quiet line"))) : "");
}

async function revoke(key) {
  if (!await ask(`Revoke ${escaped(key.id)}? Its services then no longer know it.`, "Revoke")) return;
  if (!await call(`keys?${queryOf({ id: key.id })}`, { method: "DELETE" })) return;
  showMessage(`Revoked ${escaped(key.id)}.`);
  showKeys();
}

// MARK: Views and keys of the keyboard

const views = ["server", "requests", "objects", "keys"];

function show(view) {
  isFresh = false;
  for (const name of views) {
    element(`view-${name}`).hidden = name !== view;
    element(`tab-${name}`).setAttribute("aria-selected", String(name === view));
    element(`tab-${name}`).tabIndex = name === view ? 0 : -1;
  }
  history.replaceState(null, "", view === "requests" && selected ? `#requests/${log}/${selected}` : `#${view}`);
  if (view === "server") showServer();
  if (view === "objects") showBuckets();
  if (view === "keys") showKeys();
}

// Shows what the address names: a view, or a request of it.
function follow() {
  const [view, list, number] = location.hash.slice(1).split("/");
  if (!views.includes(view)) return;
  if (number) {
    linked = Number(number);
    linkedLog = list;
  }
  show(view);
  if (linked && log === linkedLog && rows.has(linked)) select(linked);
}

views.forEach((name, index) => {
  element(`tab-${name}`).addEventListener("click", () => show(name));
  element(`tab-${name}`).addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const other = views[(index + step + views.length) % views.length];
    show(other);
    element(`tab-${other}`).focus();
  });
});

// On a phone, each view shows one pane, and a button leads back to the one before.
for (const button of document.querySelectorAll(".back")) {
  button.addEventListener("click", () => {
    const view = button.closest(".view");
    view.dataset.pane = Number(view.dataset.pane) - 1;
  });
}

element("filters").addEventListener("input", filter);
element("filters").addEventListener("submit", (event) => event.preventDefault());
element("more").addEventListener("click", () => {
  element("filters").reset();
  filter();
});
element("pause").addEventListener("click", () => {
  isPaused = !isPaused;
  element("pause").setAttribute("aria-pressed", String(isPaused));
  element("pause").textContent = isPaused ? "Resume" : "Pause";
  if (!isPaused) draw();
});
element("clear").addEventListener("click", async () => {
  if (await ask("Clear the list of requests, for every page of this console?", "Clear")
    && await call("requests", { method: "DELETE" })) showMessage("Cleared the list of requests.");
});
element("files").addEventListener("change", async () => {
  await upload([...element("files").files]);
  element("files").value = "";
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

addEventListener("hashchange", follow);
showCounts();
showServer();
follow();
connect();
