// The plain result page. Everything that comes from a scan is put in as text, never as HTML.
const form = document.querySelector("#key-form");
const message = document.querySelector("#message");
const content = document.querySelector("#content");
const scanRunId = /^\/scan-runs\/([^/]+)$/.exec(location.pathname)?.[1];
let key = "";

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  key = document.querySelector("#key").value.trim();
  message.textContent = "Loading…";
  content.replaceChildren();
  try {
    await (scanRunId === undefined ? showServices() : showScanRun(scanRunId));
  } catch (error) {
    message.textContent = error.message;
  }
});

async function get(path) {
  const response = await fetch(path, { headers: { authorization: `Bearer ${key}` } });
  const body = await response.json();
  if (!response.ok) throw new Error(`${body.error.message} (${body.error.code})`);
  return body;
}

async function getAll(path, field) {
  const items = [];
  let cursor;
  do {
    const page = await get(
      `${path}?limit=200${cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    items.push(...page[field]);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return items;
}

async function showServices() {
  const services = await getAll("/api/services", "services");
  message.textContent = services.length === 0 ? "No service was scanned yet. Try: waymark scan" : "";
  if (services.length === 0) return;
  content.append(
    heading("Services"),
    table(
      ["Service", "Endpoints", "Findings", "Last scan"],
      services.map((service) => [
        service.currentScanRunId === null
          ? service.name
          : link(`/scan-runs/${service.currentScanRunId}`, service.name),
        service.endpointCount ?? "–",
        service.findingCount ?? "–",
        service.lastScannedAt === null ? "–" : new Date(service.lastScannedAt).toLocaleString(),
      ]),
    ),
  );
}

async function showScanRun(id) {
  let run = await get(`/api/scan-runs/${encodeURIComponent(id)}`);
  while (run.status === "accepted") {
    message.textContent = "Accepted. Its rows are being persisted…";
    await new Promise((resolve) => setTimeout(resolve, 500));
    run = await get(`/api/scan-runs/${encodeURIComponent(id)}`);
  }
  message.textContent = run.status === "failed" ? `This scan failed: ${run.error.message}` : "";
  content.append(heading(run.serviceName), summary(run));
  if (run.status !== "completed") return;
  const [findings, endpoints] = await Promise.all([
    getAll(`/api/scan-runs/${run.id}/findings`, "findings"),
    getAll(`/api/scan-runs/${run.id}/endpoints`, "endpoints"),
  ]);
  content.append(
    heading(`Findings (${findings.length})`),
    table(
      ["Severity", "Code", "Message", "Method", "Path"],
      findings.map((f) => [f.severity, f.code, f.message, f.method ?? "", f.path ?? ""]),
    ),
    heading(`Endpoints (${endpoints.length})`),
    table(
      ["Method", "Path", "Operation", "Tags", "Summary"],
      endpoints.map((e) => [e.method, e.path, e.operationId ?? "", e.tags.join(", "), e.summary ?? ""]),
    ),
  );
}

function summary(run) {
  const list = document.createElement("dl");
  const rows = [
    ["Status", run.status],
    ["Specification", [run.spec.title, run.spec.version].filter((part) => part !== null).join(" ") || "–"],
    ["SHA-256", run.spec.hash],
    ["Endpoints", run.endpointCount],
    ["Findings", run.findingCount],
    ["Submitted", new Date(run.createdAt).toLocaleString()],
    ["Scan run", run.id],
  ];
  for (const [name, value] of rows) list.append(element("dt", name), element("dd", value));
  return list;
}

function table(names, rows) {
  const wrapper = document.createElement("div");
  wrapper.className = "table";
  const head = document.createElement("tr");
  head.append(...names.map((name) => element("th", name)));
  const body = rows.map((cells) => {
    const row = document.createElement("tr");
    row.append(...cells.map((cell) => element("td", cell)));
    return row;
  });
  const grid = document.createElement("table");
  grid.append(head, ...body);
  wrapper.append(grid);
  return wrapper;
}

function heading(text) {
  return element("h2", text);
}

function link(href, text) {
  const anchor = element("a", text);
  anchor.href = href;
  return anchor;
}

function element(name, child) {
  const node = document.createElement(name);
  node.append(child instanceof Node ? child : String(child));
  return node;
}
