import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startConsole, type TestConsole } from "@waymark/test-support/console.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { waitForRun } from "@waymark/test-support/scans.ts";

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

describe("the overview", () => {
  it("says which services need attention, why, since when and where to go next, in one request", async () => {
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
    await send("broken", { endpoints: 6 });
    // Five findings have every severity.
    await send("broken", { endpoints: 4, findings: 5 });
    const expiresAt = new Date(Date.now() + 3.5 * 24 * 3600 * 1000);
    await createKey(ui.stack, ["services:read"], { expiresAt });
    await using opened = await ui.open();
    const { page } = opened;
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.goto("/");
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    const rowOf = (section: string, service: string) =>
      page.getByRole("region", { name: section }).getByRole("row").filter({ hasText: service });
    await rowOf("Last scan not promoted (1)", "stopped").getByText("release").waitFor();
    await rowOf("Removed endpoints (1)", "broken").getByText("−2 endpoints").waitFor();
    await rowOf("New severe findings (1)", "broken").getByText("1 critical").waitFor();
    expect(await page.getByRole("table").getByText("calm").count()).toBe(0);
    await page
      .getByRole("region", { name: "Keys that expire soon (1)" })
      .getByText("in 3 days, never used")
      .waitFor();
    await page
      .getByRole("region", { name: "New services (3)" })
      .getByRole("link", { name: "calm" })
      .waitFor();
    expect(asked.filter((path) => path.startsWith("/api/"))).toEqual(["/api/session", "/api/overview"]);
    expect(await page.getByRole("link", { name: "Build of stopped" }).getAttribute("href")).toBe(
      "https://ci.example/9",
    );

    await page.getByRole("link", { name: "Show the changes of broken" }).first().click();
    await page.getByRole("heading", { name: /^Removed endpoints/ }).waitFor();
    await page.goBack();
    await page.getByRole("link", { name: "Open the scan of stopped" }).click();
    await page.waitForURL(`**/scan-runs/${held.scanRunId}`);
    await page.getByRole("button", { name: "Promote this run" }).waitFor();
    await page.goto("/");
    await page
      .getByRole("list", { name: "Totals of the current scans" })
      .getByRole("link", { name: "1 critical" })
      .click();
    await page.getByRole("status").getByText("1 finding", { exact: true }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("is of its services for a key that is limited to names, and without keys", async () => {
    const { serviceId } = await send("limited-eu", {});
    const scope = { permission: "services:read", resourceConstraints: { serviceNames: ["limited-*"] } };
    await using opened = await ui.open({ as: await createKey(ui.stack, [scope]) });
    const { page } = opened;
    await page.goto("/");
    await page.getByText("No service needs attention.").waitFor();
    await page.getByText("1 service", { exact: true }).waitFor();
    expect(await page.getByRole("heading", { name: "Keys that expire soon" }).count()).toBe(0);
    await page.getByRole("link", { name: "limited-eu" }).click();
    await page.waitForURL(`**/services/${serviceId}`);
    expect(opened.complaints).toEqual([]);
  });
});
