import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startConsole, type TestConsole } from "@waymark/test-support/console.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";

let ui: TestConsole;
beforeAll(async () => {
  ui = await startConsole();
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

describe("a run that was not compared", () => {
  it("says why and what to do, and never that nothing breaks", async () => {
    const payload = scanPayload({ serviceName: "undescribed", endpoints: 2, findings: 0 });
    await ui.scan(payload);
    const { scanRunId } = await ui.scan({ ...payload, endpoints: payload.endpoints.slice(0, 1) });
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/scan-runs/${scanRunId}?tab=changes`);
    const status = page.getByRole("status").filter({ hasText: "Not compared: this run has no description" });
    await status.getByText("--no-description").waitFor();
    await page.getByText("1 of them breaks clients.").waitFor();
    expect(await page.getByText("nothing").count()).toBe(0);
    expect(opened.complaints).toEqual([]);
  });
});
