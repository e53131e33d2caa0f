import { metricNames, scrape } from "@waymark/test-support/metrics.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { findFreePort } from "../../scripts/postgres/free-port.ts";
import { codesIn, difference, PAGES, readPage, tableRows } from "./support/page.ts";

const PAGE = "docs/operations.md";

let stack: Stack;
const names = { api: [] as string[], worker: [] as string[] };
beforeAll(async () => {
  const ports = { api: await findFreePort(), worker: await findFreePort() };
  stack = await startStack({
    apiEnv: { METRICS_PORT: String(ports.api) },
    workerEnv: { METRICS_PORT: String(ports.worker), WORKER_ROLES: "scans,journeys" },
  });
  // Some metrics exist only after something was counted.
  await stack.http.get("/api/services");
  names.api = metricNames((await scrape(ports.api)).text);
  names.worker = metricNames((await scrape(ports.worker)).text);
});
afterAll(() => stack[Symbol.asyncDispose]());

it.each(["api", "worker"] as const)("the table of metrics has each of the %s, and no other", (service) => {
  const documented = tableRows(PAGE, ["metric", "of", "meaning"])
    .filter(([, of = ""]) => of.split(", ").includes(service))
    .flatMap(([name = ""]) => codesIn(name));
  const own = names[service].filter((name) => name.startsWith("waymark_"));
  expect(difference(`The table of metrics in ${PAGE}, ${service},`, documented, own)).toBe("");
});

it("the alerts use only existing metrics", () => {
  const known = new Set(
    [...names.api, ...names.worker].flatMap((name) => [name, `${name}_bucket`]).concat("up"),
  );
  const { groups } = parse(readPage("deploy/helm/waymark/alerts.yml")) as {
    groups: { rules: { alert: string; expr: string }[] }[];
  };
  for (const { alert, expr } of groups.flatMap(({ rules }) => rules)) {
    const used = expr.match(/\b(waymark_\w+|nodejs_\w+|process_\w+|up)\b/g) ?? [];
    expect(used.length, `${alert} goes by no metric`).toBeGreaterThan(0);
    expect({ alert, unknown: used.filter((name) => !known.has(name)) }).toEqual({ alert, unknown: [] });
  }
});

it.each(PAGES)("%s names only existing metrics", (page) => {
  const known = new Set([...names.api, ...names.worker]);
  const named = codesIn(readPage(page)).filter((code) => /^waymark_[a-z]+(_[a-z]+)+$/.test(code));
  // Logins and roles of the database have names of the same form.
  expect(
    named.filter((name) => !known.has(name) && !["waymark_app", "waymark_service"].includes(name)),
  ).toEqual([]);
});
