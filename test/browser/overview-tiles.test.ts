// The four numbers that the overview begins with: each link opens exactly what was counted.
import { violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { type CoveredShop, startCoveredShop } from "@waymark/test-support/journey-coverage/console.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { waitUntilCompared } from "@waymark/test-support/scans/bookshop.ts";
import { scanDescription } from "@waymark/test-support/scans/described-run.ts";
import { waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";

let shop: CoveredShop;
beforeAll(async () => {
  shop = await startCoveredShop();
  for (const name of ["gated-1", "gated-2"]) {
    await scan(name);
    const gates = [{ gate: "--fail-on high", passed: false, causes: [], causeCount: 1 }];
    await shop.ui.stack.http.request("PUT", `/api/scan-runs/${await scan(name, { promote: false })}/gates`, {
      body: { gates },
    });
  }
  await scan("held");
  await scan("held", { promote: false });
  const { stack } = shop.ui;
  await scanDescription(stack, { serviceName: "broken", description: requiring([]) });
  const broken = await scanDescription(stack, { serviceName: "broken", description: requiring(["a"]) });
  await waitUntilCompared(stack, broken.scanRunId);
  // Days 60 and 30 days ago, and three in a row before yesterday.
  await query(
    shop.ui.stack,
    `INSERT INTO overview_days (organization_id, day, recorded_at, breaking_services, gate_failures, proven_criteria, must_criteria,
                                covered_endpoints, endpoints)
     SELECT $1, (now() AT TIME ZONE 'UTC')::date - ago, now(), ago / 10, NULL, 1, 4, 0, 30 FROM unnest(ARRAY[60, 30, 4, 3, 2]) ago`,
    [shop.ui.stack.organizationId],
  );
}, 240_000);
afterAll(() => shop[Symbol.asyncDispose]());

async function scan(serviceName: string, { promote = true } = {}): Promise<string> {
  const payload = scanPayload({ serviceName, seed: serviceName, endpoints: 1 });
  const headers = { "waymark-promote": String(promote) };
  const { body } = await shop.ui.stack.http.post<{ scanRunId: string }>("/api/scans/ingest", payload, {
    headers,
  });
  await waitForRun(shop.ui.stack, body.scanRunId);
  return body.scanRunId;
}

/** An operation that requires these parameters. */
const requiring = (names: readonly string[]) => ({
  openapi: "3.1.0",
  info: { title: "Things", version: "1" },
  paths: {
    "/things": {
      get: {
        operationId: "listThings",
        parameters: names.map((name) => ({ name, in: "query", required: true, schema: {} })),
      },
    },
  },
});

const tilesOf = (page: Page) => page.getByRole("list", { name: "Key figures" });
const tileOf = (page: Page, title: string) => tilesOf(page).getByRole("listitem").filter({ hasText: title });
const TITLES = {
  breaking: "Breaking this week",
  gates: "Failing their gate",
  must: "“Must” criteria proven",
  endpoints: "Endpoints covered",
};

it("each number leads to exactly what it counts", async () => {
  await using opened = await shop.ui.open();
  const { page } = opened;
  await page.goto("/");
  await tileOf(page, TITLES.breaking).getByText("1 service", { exact: true }).waitFor();
  await tileOf(page, TITLES.gates).getByText("2 services", { exact: true }).waitFor();
  await tileOf(page, TITLES.gates).getByText("Gates are known of 2 of 5 services.").waitFor();
  await tileOf(page, TITLES.must).getByText("1 of 3", { exact: true }).waitFor();
  await tileOf(page, TITLES.endpoints).getByText("3 of 34", { exact: true }).waitFor();
  const open = async (title: string) => {
    await page.goto("/");
    await page.getByRole("link", { name: `Show all: ${title}`, exact: true }).click();
  };
  await open(TITLES.breaking);
  const breaking = page.getByRole("region", { name: "Services whose last change breaks clients (1)" });
  // One row has the headings.
  await expect.poll(() => breaking.getByRole("row").count()).toBe(2);
  await breaking.getByRole("link", { name: "broken", exact: true }).waitFor();
  await open(TITLES.gates);
  const gates = page.getByRole("region", { name: "Services whose last scan failed a gate (2)" });
  await expect.poll(() => gates.getByRole("link", { name: /^gated-[12]$/ }).count()).toBe(2);
  expect(await gates.getByRole("row").count()).toBe(3);
  await open(TITLES.must);
  const totals = page.getByRole("list", { name: "Totals" });
  await totals
    .getByRole("listitem")
    .filter({ hasText: "“Must” criteria proven" })
    .getByText("1 of 3, 33 %")
    .waitFor();
  await page.getByText("3 of 5", { exact: true }).waitFor();
  await open(TITLES.endpoints);
  await totals
    .getByRole("listitem")
    .filter({ hasText: "Endpoints called" })
    .getByText("3 of 34, 8 %")
    .waitFor();
  expect(opened.complaints).toEqual([]);
}, 120_000);

it("trends say how many days are not known, and draw no line through them", async () => {
  await using opened = await shop.ui.open({ context: { viewport: { width: 390, height: 844 } } });
  const { page } = opened;
  await page.goto("/");
  const trend = (name: string) => tilesOf(page).getByRole("img", { name, exact: true });
  await trend(
    `${TITLES.breaking}. From 6 to 1 in the last 90 days, at most 6. 84 days are not known.`,
  ).waitFor();
  // Two points, a line of three days, and the point of today.
  const drawn = await tileOf(page, TITLES.breaking).locator("svg path").last().getAttribute("d");
  expect(drawn?.match(/M|L/g)?.join("")).toBe("MMMLLM");
  await trend(
    `${TITLES.gates}. From 2 to 2 in the last 90 days, at most 2. 89 days are not known.`,
  ).waitFor();
  await trend(
    `${TITLES.must}. From 25 % to 33 % in the last 90 days, at most 33 %. 84 days are not known.`,
  ).waitFor();
  await trend(
    `${TITLES.endpoints}. From 0 % to 8 % in the last 90 days, at most 8 %. 84 days are not known.`,
  ).waitFor();
  expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  expect(await violationsInBothSchemes(page)).toEqual([]);
  expect(opened.complaints).toEqual([]);
});

it("a session that sees some services, or a filter, has their numbers and no trend", async () => {
  const { stack } = shop.ui;
  await using opened = await shop.ui.open();
  await opened.page.goto("/?owner=none");
  await tileOf(opened.page, TITLES.gates).getByText("2 services", { exact: true }).waitFor();
  await opened.page
    .getByText("Trends and coverage are of all services: clear the filters to see them.")
    .waitFor();
  expect(await tilesOf(opened.page).getByRole("listitem").count()).toBe(2);
  expect(opened.complaints).toEqual([]);

  const scope = { permission: "services:read", resourceConstraints: { serviceNames: ["held", "gated-1"] } };
  await using limited = await shop.ui.open({ as: await createKey(stack, [scope]) });
  const { page } = limited;
  await page.goto("/");
  await tileOf(page, TITLES.gates).getByText("1 service", { exact: true }).waitFor();
  await page
    .getByText("Trends are of all services: your key sees some of them, so there are none.")
    .waitFor();
  expect(await tilesOf(page).getByRole("img").count()).toBe(0);
  expect(await tilesOf(page).getByRole("listitem").count()).toBe(2);
  expect(limited.complaints).toEqual([]);
});

it("a calm day says what was looked at, and what is not known", async () => {
  const { stack } = shop.ui;
  await query(stack, "UPDATE services SET created_at = created_at - interval '9 days'");
  const scope = { permission: "services:read", resourceConstraints: { serviceNames: ["shop"] } };
  await using opened = await shop.ui.open({ as: await createKey(stack, [scope]) });
  const { page } = opened;
  await page.goto("/");
  await page.getByText("Nothing needs attention.", { exact: true }).waitFor();
  await page.getByText("Looked at the last scans and the findings of 1 service.").waitFor();
  await page
    .getByText("You may not read journeys and keys: it is not known whether they need attention.")
    .waitFor();
  await tileOf(page, TITLES.gates).getByText("not known", { exact: true }).waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  // It may not read approvals, so nothing leads to them.
  await page.getByRole("tab", { name: /^Accepted/ }).click();
  await page.getByText("No change of the last days breaks clients and is approved as a whole.").waitFor();
  expect(await page.getByRole("link", { name: "All approvals of changes" }).count()).toBe(0);
  await page.goto("/?owner=payments");
  await page.getByText("No service matches the filters.").waitFor();
});
