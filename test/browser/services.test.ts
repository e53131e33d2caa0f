import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startConsole, type TestConsole } from "@waymark/test-support/console.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createOrganization } from "@waymark/test-support/stack.ts";

let ui: TestConsole;
beforeAll(async () => {
  ui = await startConsole();
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

describe("the services", () => {
  it("are listed with their last scan, counts and trend, searched and sorted, in one request", async () => {
    for (const endpoints of [5, 9, 7])
      await ui.scan(scanPayload({ serviceName: "rising", endpoints, findings: 2 }));
    await ui.scan(scanPayload({ serviceName: "steady", endpoints: 3, findings: 4 }));
    await using opened = await ui.open();
    const { page } = opened;
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.goto("/");
    const row = page.getByRole("row").filter({ hasText: "rising" });
    await row
      .getByRole("img", { name: "Endpoints over the last 3 runs: from 5 to 7, between 5 and 9" })
      .waitFor();
    await row.getByRole("img", { name: "Findings: 2 in each of the last 3 runs" }).waitFor();
    expect(asked.filter((path) => path.startsWith("/api/services"))).toEqual(["/api/services"]);

    const names = () =>
      page
        .getByRole("row")
        .getByRole("link", { name: /rising|steady/ })
        .allTextContents();
    await page.getByRole("button", { name: "Endpoints" }).click();
    await expect.poll(names).toEqual(["steady", "rising"]);
    await page.getByLabel("Search").fill("RIS");
    await expect.poll(names).toEqual(["rising"]);
    expect(new URL(page.url()).search).toBe("?sort=endpoints&q=RIS");
    await page.reload();
    await expect.poll(names).toEqual(["rising"]);
    expect(opened.complaints).toEqual([]);
  });

  it("begin with a key and a first scan, which is shown as it arrives", async () => {
    const { apiKey } = await createOrganization(ui.stack.databaseUrl, "Beginners");
    await using opened = await ui.open({ as: apiKey });
    const { page } = opened;
    await page.goto("/");
    await page.getByText("Waiting for the first scan").waitFor();
    await page.getByRole("tab", { name: "curl" }).click();
    await page.getByText(`${ui.stack.api.baseUrl}/api/scans/ingest`).waitFor();
    await page.getByRole("link", { name: "Create a CI key" }).click();
    expect(await page.getByRole("radio", { name: "CI scan" }).isChecked()).toBe(true);
    await page.goBack();
    await page.getByText("Waiting for the first scan").waitFor();
    const sent = await ui.stack.http.post<{ scanRunId: string }>(
      "/api/scans/ingest",
      scanPayload({ serviceName: "first", endpoints: 3 }),
      { key: apiKey },
    );
    await page.waitForURL(`**/scan-runs/${sent.body.scanRunId}`);
    await page.getByRole("tab", { name: "Endpoints (3)" }).waitFor();
    await page.getByRole("link", { name: "Services" }).first().click();
    await page.getByRole("row").getByRole("link", { name: "first" }).waitFor();
    expect(opened.complaints).toEqual([]);
  });
});

describe("a service", () => {
  it("shows its current endpoints with when each was first and last seen", async () => {
    const both = scanPayload({ serviceName: "inventory", endpoints: 2, findings: 0 });
    const first = await ui.scan({ ...both, endpoints: both.endpoints.slice(0, 1) });
    await ui.scan(both);
    // Two days ago, so that the dates differ.
    await query(
      ui.stack,
      `UPDATE service_snapshots SET first_seen_at = first_seen_at - interval '2 days',
                                    last_seen_at = last_seen_at - interval '2 days'
       WHERE service_id = $1 AND first_seen_at = (SELECT min(first_seen_at) FROM service_snapshots WHERE service_id = $1)`,
      [first.serviceId],
    );
    await using opened = await ui.open({ context: { locale: "en-GB", timezoneId: "UTC" } });
    const { page } = opened;
    await page.goto(`/services/${first.serviceId}?sort=firstSeenAt`);
    await page.getByText("2 of 2").waitFor();
    const day = (offsetDays: number) =>
      new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" }).format(
        Date.parse(first.createdAt) - offsetDays * 24 * 3600 * 1000,
      );
    const cells = await page.getByRole("row").nth(1).getByRole("cell").allTextContents();
    expect(cells.slice(-2)).toEqual([day(2), day(0)]);
    await page.getByLabel("Search").fill(both.endpoints[1]?.path ?? "");
    await page.getByText("1 of 2").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("neither plots nor headlines a run that was held back, until the run is promoted on its page", async () => {
    const { serviceId } = await ui.scan(scanPayload({ serviceName: "gated", endpoints: 8, findings: 0 }));
    const held = await ui.stack.http.post<{ scanRunId: string }>(
      "/api/scans/ingest",
      scanPayload({ serviceName: "gated", endpoints: 4, findings: 0 }),
      { headers: { "waymark-promote": "false" } },
    );
    await waitForRun(ui.stack, held.body.scanRunId);
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/services/${serviceId}?tab=runs`);
    await page.getByText("One completed run so far. Not plotted: 1 run not promoted").waitFor();
    await page.getByText("8 endpoints", { exact: true }).waitFor();
    await page.getByRole("row").filter({ hasText: "not promoted" }).getByRole("link").click();
    await page.getByRole("button", { name: "Promote this run" }).click();
    await page.getByText("not promoted", { exact: true }).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "gated" }).click();
    await page.getByText("4 endpoints", { exact: true }).waitFor();
    await page.getByRole("img", { name: "Endpoints over 2 runs: from 8 to 4" }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("is plotted from its first run on", async () => {
    const { serviceId } = await ui.scan(scanPayload({ serviceName: "new", endpoints: 4, findings: 1 }));
    await using opened = await ui.open({ context: { locale: "en-GB" } });
    const { page } = opened;
    await page.goto(`/services/${serviceId}`);
    await page.getByText("One completed run so far").waitFor();
    await page.getByRole("img", { name: "Endpoints over 1 run: 4" }).locator("canvas").waitFor();
    await page.getByText("1 finding", { exact: true }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("plots its history over runs, and loads what lies beyond the last 200", async () => {
    const payload = scanPayload({ serviceName: "old", endpoints: 4, findings: 1 });
    const { serviceId, scanRunId: oldest } = await ui.scan({
      ...payload,
      endpoints: payload.endpoints.slice(0, 3),
    });
    await ui.scan(payload);
    // A body that is known is completed by its request.
    for (let run = 0; run < 203; run++) await ingest(ui.stack, payload);
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/services/${serviceId}?tab=runs`);
    await page.getByText("The last 200 completed runs,").waitFor();
    await page.getByRole("img", { name: "Endpoints over 200 runs: from 4 to 4" }).locator("canvas").waitFor();
    await page.getByRole("button", { name: "Load older runs" }).first().click();
    await page.getByText("All 205 completed runs,").waitFor();
    await page.getByRole("img", { name: "Endpoints over 205 runs: from 3 to 4" }).locator("canvas").waitFor();
    expect(await page.getByRole("button", { name: "Load older runs" }).count()).toBe(0);
    await page.getByRole("table").getByRole("link").last().click();
    await page.waitForURL(`**/scan-runs/${oldest}`);
    await page.getByRole("tab", { name: "Endpoints (3)" }).waitFor();
    expect(opened.complaints).toEqual([]);
  }, 120_000);
});
