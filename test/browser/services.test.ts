import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { createHostedOrganization } from "@waymark/test-support/stack.ts";

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
    await page.goto("/services");
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
    await expect.poll(() => new URL(page.url()).search).toBe("?sort=endpoints&q=RIS");
    await page.reload();
    await expect.poll(names).toEqual(["rising"]);
    expect(opened.complaints).toEqual([]);
  });

  it("are downloaded as CSV and JSON, as they are filtered, and nothing in them is a formula", async () => {
    for (const name of ["=exported", "exported too", "another"])
      await ui.scan(scanPayload({ serviceName: name, endpoints: 3, findings: 0 }));
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto("/services?q=exported&sort=name");
    await page.getByRole("link", { name: "exported too" }).waitFor();
    const download = async (format: "CSV" | "JSON") => {
      const started = page.waitForEvent("download");
      await page.getByRole("button", { name: `Download as ${format}` }).click();
      const file = await started;
      return { name: file.suggestedFilename(), text: await readFile(await file.path(), "utf8") };
    };
    const csv = await download("CSV");
    expect(csv.name).toBe("waymark-services.csv");
    const lines = csv.text.split("\r\n");
    expect(lines[0]).toBe(
      "\uFEFFid,name,lastScannedAt,endpointCount,findingCount,critical,high,needsAttention,labels,decided,owner,overdue",
    );
    expect(lines.slice(1).map((line) => line.split(",")[1])).toEqual([
      "'=exported",
      "exported too",
      undefined,
    ]);
    const json = await download("JSON");
    expect(JSON.parse(json.text)).toMatchObject([
      { name: "=exported", endpointCount: 3 },
      { name: "exported too", critical: 0, needsAttention: [] },
    ]);
    expect(opened.complaints).toEqual([]);
  });

  it("have the worst first, with why they need attention, their severe findings and last change", async () => {
    const { apiKey } = await createHostedOrganization(ui.stack.databaseUrl, "Worried");
    const send = async (name: string, size: { endpoints: number; findings: number }, promote = true) => {
      const { body } = await ui.stack.http.post<{ scanRunId: string }>(
        "/api/scans/ingest",
        scanPayload({ serviceName: name, ...size }),
        { key: apiKey, headers: { "waymark-promote": String(promote) } },
      );
      await expect
        .poll(async () => {
          const run = await ui.stack.http.get<ScanRun>(`/api/scan-runs/${body.scanRunId}`, { key: apiKey });
          return run.body.status;
        })
        .toBe("completed");
    };
    await send("held", { endpoints: 2, findings: 0 });
    await send("held", { endpoints: 1, findings: 0 }, false);
    await send("calm", { endpoints: 2, findings: 0 });
    await send("shrinking", { endpoints: 4, findings: 0 });
    await send("shrinking", { endpoints: 1, findings: 1 });
    // Five findings have every severity.
    await send("critical", { endpoints: 2, findings: 5 });
    await using opened = await ui.open({ as: apiKey });
    const { page } = opened;
    await page.goto("/services");
    await page.getByText("4 services, 7 endpoints, 6 findings").waitFor();
    const names = () =>
      page
        .getByRole("row")
        .getByRole("link", { name: /^(held|calm|shrinking|critical)$/ })
        .allTextContents();
    await expect.poll(names).toEqual(["held", "critical", "shrinking", "calm"]);
    await page.getByText("−3 endpoints, +1 finding, just now").waitFor();
    await page.getByRole("link", { name: "1 high" }).waitFor();
    await page.getByRole("combobox", { name: "Needs attention" }).click();
    await page.getByRole("option", { name: "last scan not promoted (1)" }).click();
    await page.getByText("1 of 4").waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe("?needs=held");
    await page.getByRole("link", { name: "held", exact: true }).click();
    await page.getByRole("status").getByText("and this page shows the scan before it.").waitFor();
    await page.goBack();
    await page.goto("/services");
    await page.getByRole("link", { name: "1 critical" }).click();
    await page.getByText("1 of 5").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("start with a key and a first scan, which is shown when it arrives", async () => {
    const { apiKey } = await createHostedOrganization(ui.stack.databaseUrl, "Beginners");
    const context = { reducedMotion: "reduce" } as const;
    await using opened = await ui.open({ as: apiKey, context, isNew: true });
    const { page } = opened;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto("/");
    await page.getByText("Waiting for the first scan").waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    for (const [tab, what] of [
      ["GitHub Actions", "job"],
      ["GitLab CI", "job"],
      ["curl", "command"],
    ] as const) {
      await page.getByRole("tab", { name: tab }).click();
      await page.getByRole("button", { name: `Copy the ${tab} ${what}` }).click();
      const copied = () => page.evaluate("navigator.clipboard.readText()");
      await expect.poll(copied).toBe(await page.getByRole("tabpanel").locator("pre").textContent());
      expect(await copied()).toContain(ui.stack.api.baseUrl);
    }
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

describe("the endpoints of all services", () => {
  it("are searched while typing, and lead to the endpoint", async () => {
    const payload = scanPayload({ serviceName: "searched", endpoints: 2, findings: 0 });
    Object.assign(payload.endpoints[0] ?? {}, {
      method: "GET",
      path: "/zebras/{id}",
      operationId: "readZebra",
    });
    const { serviceId } = await ui.scan(payload);
    await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
    const { page } = opened;
    await page.goto("/services");
    await page.getByRole("link", { name: "Search all endpoints" }).click();
    await page.getByLabel("Search").fill("get zeb");
    await page.getByText("1 endpoint", { exact: true }).waitFor();
    await page.getByRole("cell", { name: "readZebra" }).waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.getByLabel("Search").fill("nothing like it");
    await page.getByText("0 endpoints", { exact: true }).waitFor();
    await page.getByLabel("Search").fill("readzebra");
    await page.getByRole("link", { name: "/zebras/{id}" }).click();
    await page.waitForURL(`**/services/${serviceId}/endpoint?of=*`);
    await page.getByRole("heading", { level: 1, name: "GET /zebras/{id}" }).waitFor();
    await page.getByText("readZebra").waitFor();
    expect(opened.complaints).toEqual([]);
  });
});
