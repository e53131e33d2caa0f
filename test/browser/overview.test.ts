import type { Overview } from "@waymark/shared/services/overview/schema.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { journeyText, storeDocument } from "@waymark/test-support/journeys.ts";
import { createKey, createKeys } from "@waymark/test-support/keys.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { addEndedRuns } from "@waymark/test-support/stored-journeys.ts";

let ui: TestConsole;
beforeAll(async () => {
  ui = await startConsole();
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

async function send(
  serviceName: string,
  {
    endpoints = 3,
    findings = 0,
    headers = {},
  }: { endpoints?: number; findings?: number; headers?: Record<string, string> },
): Promise<{ scanRunId: string; serviceId: string }> {
  const { body } = await ui.stack.http.post<{ scanRunId: string; serviceId: string }>(
    "/api/scans/ingest",
    scanPayload({ serviceName, endpoints, findings }),
    { headers },
  );
  await waitForRun(ui.stack, body.scanRunId);
  return body;
}

/** More of everything than the lists of the overview show at first. */
async function storeConcerns({ stack }: TestConsole, count: number): Promise<void> {
  const { http } = stack;
  const each = Array.from({ length: count }, (_, index) => index);
  const scan = async (serviceName: string, size: { endpoints: number; findings: number }, headers = {}) => {
    const { body } = await http.post<{ scanRunId: string }>(
      "/api/scans/ingest",
      scanPayload({ serviceName, ...size }),
      { headers },
    );
    await waitForRun(stack, body.scanRunId);
  };
  await Promise.all(
    each.map(async (index) => {
      await scan(`worse-${index}`, { endpoints: 3, findings: 0 });
      await scan(`worse-${index}`, { endpoints: 2, findings: 5 });
      await scan(`worse-${index}`, { endpoints: 4, findings: 0 }, { "waymark-promote": "false" });
      await scan(`failed-${index}`, { endpoints: 1, findings: 0 });
    }),
  );
  await query(
    stack,
    `UPDATE scan_runs r SET status = 'failed', snapshot_id = NULL, completed_at = NULL, error_code = 'internal_error', error_message = 'It broke.'
     FROM services s WHERE s.id = r.service_id AND s.name LIKE 'failed-%'`,
  );
  const expiresAt = new Date(Date.now() + 3 * 24 * 3600 * 1000);
  const keys = await createKeys(
    stack,
    each.map(() => ({ scopes: ["services:read"], expiresAt })),
  );
  await Promise.all(keys.map((key) => http.get("/api/audit-events", { key })));
  const { body: environment } = await http.post<{ id: string }>("/api/environments", { name: "test" });
  for (const index of each) {
    const text = journeyText(`Journey ${index}`);
    const { id: journeyId } = await storeDocument(stack, { path: `${index}.journey.yaml`, text });
    const rhythm = { cron: "0 0 1 1 *", timeZone: "UTC" };
    const schedule = { name: `s${index}`, journeyId, environmentId: environment.id, ...rhythm };
    expect((await http.post("/api/journey-schedules", schedule)).status).toBe(201);
    await addEndedRuns(stack, { journeyId, environmentId: environment.id, statuses: ["failed"] });
  }
  await query(stack, "UPDATE journey_schedules SET is_enabled = false, next_at = NULL, next_due_at = NULL");
}

describe("the overview", () => {
  it("says which services need attention, why, since when and where to go next", async () => {
    await send("calm", {});
    await send("stopped", {});
    const held = await send("stopped", {
      endpoints: 2,
      headers: {
        "waymark-promote": "false",
        "waymark-branch": "release",
        "waymark-build-url": "https://ci.example/9",
      },
    });
    const gates = [
      { gate: "--fail-on high", passed: false, causes: ["high no-id at GET /a"], causeCount: 3 },
      { gate: "--fail-on-removed", passed: true, causes: [], causeCount: 0 },
    ];
    await ui.stack.http.request("PUT", `/api/scan-runs/${held.scanRunId}/gates`, { body: { gates } });
    await send("broken", { endpoints: 6 });
    // Five findings have every severity.
    await send("broken", { endpoints: 4, findings: 5 });
    const expiresAt = new Date(Date.now() + 3.5 * 24 * 3600 * 1000);
    await createKey(ui.stack, ["services:read"], { expiresAt });
    const narrow = await createKey(ui.stack, ["services:read"]);
    expect((await ui.stack.http.get("/api/audit-events", { key: narrow })).status).toBe(403);
    await using opened = await ui.open();
    const { page } = opened;
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.goto("/");
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    const inbox = page.getByRole("table", { name: "Open", exact: true });
    const row = (text: string) => inbox.getByRole("row").filter({ hasText: text });
    const gateFailed = "Failed --fail-on high";
    await row(gateFailed).getByRole("link", { name: "stopped", exact: true }).waitFor();
    await row(gateFailed).getByText("branch release").waitFor();
    await row("2 endpoints removed; descriptions not compared")
      .getByRole("link", { name: "broken" })
      .waitFor();
    await row("1 critical and 1 high findings are new").getByText("broken").waitFor();
    expect(await row("calm").allInnerTexts()).toEqual([expect.stringContaining("New service")]);
    await row("expires soon; it was never used").getByText("in 3 days").waitFor();
    await row("was refused: GET /api/audit-events, permission_denied").getByText("just now").waitFor();
    expect(await row("New service with").count()).toBe(3);
    // The most urgent first.
    const badges = (await inbox.getByRole("row").allInnerTexts()).map((text) => text.split(/\s*\n|\t/)[0]);
    expect(badges.slice(1)).toEqual([
      "removed",
      "gate failed",
      "critical",
      "key",
      "key",
      "new",
      "new",
      "new",
    ]);
    await page.getByRole("tab", { name: "Open (8)" }).waitFor();
    await page.getByRole("tab", { name: "Accepted (0)" }).waitFor();
    expect(asked.filter((path) => path.startsWith("/api/"))).toEqual([
      "/api/session",
      "/api/overview",
      "/api/journey-coverage",
    ]);
    expect(await page.getByRole("link", { name: "Build of stopped" }).getAttribute("href")).toBe(
      "https://ci.example/9",
    );

    await page.getByRole("link", { name: "2 endpoints removed" }).click();
    await page.getByText("The operation is gone: whoever calls it gets an error.").first().waitFor();
    await page.goBack();
    await page.getByRole("link", { name: gateFailed }).click();
    await page.waitForURL(`**/scan-runs/${held.scanRunId}`);
    const failed = page.getByRole("region", { name: "Verdict" });
    await failed.getByText("gate --fail-on high failed").waitFor();
    await failed.getByText("Why the gate failed").click();
    for (const text of ["--fail-on high", "high no-id at GET /a", "… and 2 more"])
      await failed.getByText(text, { exact: true }).waitFor();
    await page.goto(`/services/${held.serviceId}?tab=runs`);
    await page.getByRole("cell", { name: "not promoted failed --fail-on high" }).waitFor();
    const alert = page.getByRole("status").filter({ hasText: "The last scan was not promoted" });
    await alert
      .getByText("It failed --fail-on high. It was scanned just now (branch release), and")
      .waitFor();
    await page.goto("/");
    await page
      .getByRole("list", { name: "Totals of the current scans" })
      .getByRole("link", { name: "1 critical" })
      .click();
    await page.getByRole("status").getByText("1 finding", { exact: true }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("shows exactly what a list counts, for each of its lists", async () => {
    await using other = await startConsole();
    await storeConcerns(other, 21);
    await using opened = await other.open();
    const { page } = opened;
    const lists = [
      "services with removed endpoints",
      "services whose last scan was not promoted",
      "services whose last scan failed",
      "failing journeys",
      "schedules that fail or are paused",
      "services with new severe findings",
      "keys that expire soon",
      "keys that were refused",
      "new services",
    ];
    await page.goto("/");
    const links = page.getByRole("link", { name: /^Show all / });
    await links.first().waitFor();
    const names = await links.allInnerTexts();
    expect(names.map((name) => name.replace(/^Show all [0-9]+ /, ""))).toEqual(lists);
    let sum = 0;
    for (const name of names) {
      const count = Number(/[0-9]+/.exec(name)?.[0]);
      await page.goto("/");
      await page.getByRole("link", { name, exact: true }).click();
      await page.waitForURL(/[?]all=/);
      const section = page.getByRole("region", { name: `(${count})` });
      // One row has the headings.
      await expect.poll(() => section.getByRole("row").count()).toBe(count + 1);
      sum += count;
    }
    await page.goto("/");
    await page.getByRole("tab", { name: `Open (${sum})` }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("has the pull requests that were scanned lately in one line, which says when it is opened what they would break", async () => {
    await send("proposed", { endpoints: 4 });
    const proposed = await send("proposed", {
      endpoints: 3,
      headers: {
        "waymark-promote": "false",
        "waymark-branch": "drop-v0",
        "waymark-base-branch": "main",
        "waymark-pull-request": "812",
        "waymark-pull-request-url": "https://git.example/pulls/812",
      },
    });
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto("/?owner=none");
    await page.getByText("Pull requests that were scanned in the last 7 days").click();
    const row = page
      .getByRole("table", { name: "Pull requests" })
      .getByRole("row")
      .filter({ hasText: "proposed" });
    await row.getByText("Not compared: this run has no description").waitFor();
    await row.getByText("pull request 812").waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await row.getByRole("link", { name: /^Not compared/ }).click();
    await page.waitForURL(`**/scan-runs/${proposed.scanRunId}`);
    expect(opened.complaints).toEqual([]);
  });

  it("is of its services for a key that is limited to names, and without keys", async () => {
    const { serviceId } = await send("limited-eu", {});
    const scope = { permission: "services:read", resourceConstraints: { serviceNames: ["limited-*"] } };
    await using opened = await ui.open({ as: await createKey(ui.stack, [scope]) });
    const { page } = opened;
    await page.goto("/");
    await page.getByText("1 service", { exact: true }).waitFor();
    await page.getByRole("tab", { name: "Open (1)" }).waitFor();
    await page.getByRole("link", { name: "limited-eu" }).click();
    await page.waitForURL(`**/services/${serviceId}`);
    expect(opened.complaints).toEqual([]);
  });

  it("has charts of the fleet over time, with the numbers of the day under the pointer, and as a table", async () => {
    // The worker counts the runs that nobody compared.
    const uncompared = async () =>
      (await ui.stack.http.get<Overview>("/api/overview")).body.recentRuns.notCompared;
    await expect.poll(uncompared, { timeout: 60_000 }).toBeGreaterThan(0);
    // Else it would delete days on which no service had a scan, whenever it counts them next.
    await ui.stack.worker.stop();
    await query(
      ui.stack,
      `INSERT INTO daily_totals (organization_id, day, service_count, endpoint_count, info, low, medium, high, critical)
       VALUES ($1, '2000-01-01', 1, 7, 0, 0, 0, 0, 0), ($1, (now() AT TIME ZONE 'UTC')::date - 40, 2, 9, 4, 0, 0, 3, 2)
       ON CONFLICT DO NOTHING`,
      [ui.stack.organizationId],
    );
    await query(
      ui.stack,
      `INSERT INTO daily_breaks (organization_id, day, breaking, compared, not_compared)
       VALUES ($1, (now() AT TIME ZONE 'UTC')::date - 40, 3, 5, 2)
       ON CONFLICT DO NOTHING`,
      [ui.stack.organizationId],
    );
    await using opened = await ui.open({
      context: { locale: "en-GB", viewport: { width: 390, height: 844 } },
    });
    const { page } = opened;
    await page.goto("/");
    await page
      .getByText(
        /In the last 7 days, [0-9]+ of [0-9]+ runs (was|were) not compared: what they break is not known\.$/,
      )
      .waitFor();
    await page.getByText("The last 90 days in charts").click();
    const charts = page.getByRole("region", { name: "The last 90 days" });
    const endpoints = charts.getByRole("img", {
      name: /^From 7 to [0-9]+ endpoints in 90 days, at most [0-9]+\.$/,
    });
    await endpoints.hover({ position: { x: 1, y: 20 } });
    // All charts show that day's values.
    for (const count of ["1 service", "7 endpoints", "0 findings"])
      await charts.getByText(count, { exact: true }).waitFor();
    // Measured and pointed at again, because a line above may come or go with the worker's data and move the charts away from the pointer.
    // A pointer that is moved to where it is already sends no event.
    const shows = (count: string) =>
      charts
        .getByText(count, { exact: true })
        .waitFor({ timeout: 2_000 })
        .then(
          () => true,
          () => false,
        );
    const pointed = async (count: string) => {
      await endpoints.hover({ position: { x: 1, y: 20 } });
      const { width = 0 } = (await endpoints.boundingBox()) ?? {};
      await endpoints.hover({ position: { x: width * 0.6, y: 20 } });
      return shows(count);
    };
    for (const count of ["2 services", "9 endpoints", "9 findings"])
      await expect.poll(() => pointed(count), { timeout: 30_000 }).toBe(true);
    expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
    await charts.getByRole("img", { name: /^3 breaking changes in 90 days, at most 3 a day\. / }).waitFor();
    await charts.getByText("Show as a table").click();
    const day = charts.getByRole("row").filter({ has: page.getByRole("cell", { name: "5", exact: true }) });
    expect((await day.getByRole("cell").allInnerTexts()).slice(-3)).toEqual(["3", "5", "2"]);
    await charts.getByRole("row").filter({ hasText: "9" }).first().waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });
});
