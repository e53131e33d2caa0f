import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startConsole, type TestConsole } from "@waymark/test-support/console.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest } from "@waymark/test-support/scans.ts";

let ui: TestConsole;
beforeAll(async () => {
  ui = await startConsole();
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

describe("the history of a service", () => {
  it("is plotted from its first run on", async () => {
    const { serviceId } = await ui.scan(scanPayload({ serviceName: "new", endpoints: 4, findings: 1 }));
    await using opened = await ui.open({ context: { locale: "en-GB" } });
    const { page } = opened;
    await page.goto(`/services/${serviceId}`);
    await page.getByText("One completed run so far").waitFor();
    await page.getByRole("img", { name: "Endpoints over 1 run: 4" }).waitFor();
    await page.getByText("1 finding", { exact: true }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("has the last 200 runs, and loads those before", async () => {
    const payload = scanPayload({ serviceName: "old", endpoints: 4, findings: 1 });
    const { serviceId, scanRunId: oldest } = await ui.scan({
      ...payload,
      endpoints: payload.endpoints.slice(0, 3),
    });
    await ui.scan(payload);
    // A known body is complete with its 201.
    for (let run = 0; run < 203; run++) await ingest(ui.stack, payload);
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/services/${serviceId}?tab=runs`);
    await page.getByText("The last 200 completed runs,").waitFor();
    await page.getByRole("img", { name: "Endpoints over 200 runs: from 4 to 4" }).waitFor();
    const older = page.getByRole("button", { name: "Load older runs" });
    const isOlder = (url: URL) => url.searchParams.has("cursor");
    await page.route(isOlder, (request) => request.abort());
    await older.first().click();
    await page.getByRole("alert").getByText("The server can't be reached.").first().waitFor();
    await page.unrouteAll();
    await older.first().click();
    await page.getByText("All 205 completed runs,").waitFor();
    await page.getByRole("img", { name: "Endpoints over 205 runs: from 3 to 4" }).waitFor();
    expect(await page.getByRole("button", { name: "Load older runs" }).count()).toBe(0);
    await page.getByRole("table").getByRole("link").last().click();
    await page.waitForURL(`**/scan-runs/${oldest}`);
    await page.getByRole("tab", { name: "Endpoints (3)" }).waitFor();
    expect(opened.complaints).toEqual([]);
  }, 120_000);

  it("says what the run under the pointer had, and a click opens it", async () => {
    const payload = scanPayload({ serviceName: "pointed", endpoints: 4, findings: 1 });
    const first = await ui.scan({ ...payload, endpoints: payload.endpoints.slice(0, 3) });
    await ui.scan(payload);
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/services/${first.serviceId}`);
    const plot = page.getByRole("img", { name: "Endpoints over 2 runs: from 3 to 4" });
    await page.getByText("4 endpoints", { exact: true }).waitFor();
    await plot.hover({ position: { x: 2, y: 20 } });
    await page.getByText("3 endpoints", { exact: true }).waitFor();
    await page.mouse.move(0, 0);
    await page.getByText("4 endpoints", { exact: true }).waitFor();
    await plot.click({ position: { x: 2, y: 20 } });
    await page.waitForURL(`**/scan-runs/${first.scanRunId}`);
    expect(opened.complaints).toEqual([]);
  });
});
