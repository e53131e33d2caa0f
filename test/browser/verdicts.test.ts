import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { scanDescription } from "@waymark/test-support/scans/described-run.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { startWorker } from "@waymark/test-support/stack.ts";
import { waitUntil } from "@waymark/test-support/wait-until.ts";

/** A description whose lock has these states and properties. */
function locks({ states, required = [] }: { states: readonly string[]; required?: readonly string[] }) {
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Lock" } } };
  const id = { name: "id", in: "path", required: true, schema: { type: "string" } };
  return {
    openapi: "3.1.0",
    info: { title: "Locks", version: "1" },
    paths: {
      "/locks/{id}": {
        get: { parameters: [id], responses: { 200: { description: "The lock.", content } } },
        put: {
          parameters: [id],
          requestBody: { content },
          responses: { 204: { description: "It is stored." } },
        },
      },
    },
    components: {
      schemas: {
        Lock: {
          type: "object",
          required,
          properties: { state: { type: "string", enum: states }, owner: { type: "string" } },
        },
      },
    },
  };
}

const BEFORE = locks({ states: ["open", "closed"] });
const NARROWED = locks({ states: ["open"], required: ["owner"] });

let ui: TestConsole;
beforeAll(async () => {
  ui = await startConsole();
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

/** Scans a service before and after a change, and waits until both are compared. */
async function changed(serviceName: string, headers: Record<string, string> = {}) {
  await scanDescription(ui.stack, { serviceName, description: BEFORE });
  const run = await scanDescription(ui.stack, { serviceName, description: NARROWED, headers });
  await waitUntil("the descriptions are compared", async () => {
    const { body } = await ui.stack.http.get<{ comparison: { status: string } }>(
      `/api/scan-runs/${run.scanRunId}/changes`,
    );
    return body.comparison.status === "compared";
  });
  return run;
}

describe("a run whose description breaks clients", () => {
  it("says so first, and shows each change by operation with what was before and after", async () => {
    const { scanRunId, serviceId } = await changed("locks");
    await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
    const { page } = opened;
    await page.goto(`/scan-runs/${scanRunId}`);
    await page
      .getByRole("region", { name: "Verdict" })
      .getByText(/^Breaks clients: \d changes?$/)
      .waitFor();
    await page.getByRole("region", { name: "PUT /locks/{id}" }).waitFor();
    const narrowed = page.getByRole("listitem").filter({ hasText: 'no longer allows "closed": requests' });
    await narrowed.getByText("breaks clients").waitFor();
    await narrowed.getByRole("group", { name: "Before and after" }).waitFor();
    await narrowed.getByText("No longer accepted:").waitFor();
    await narrowed.getByText("request-", { exact: false }).last().click();
    await narrowed.getByRole("button", { name: "Copy the fingerprint" }).waitFor();
    expect(await page.getByText("Breaks clients: nothing").count()).toBe(0);
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.goto(`/services/${serviceId}?tab=changes`);
    await page.getByText(/^\d changes? breaks? clients$/).waitFor();
    await page.getByText("The description changed").waitFor();
    await page.goto(`/services/${serviceId}/endpoint?of=PUT+/locks/{id}`);
    const history = page.getByRole("region", { name: "How it changed" });
    await history.getByText('no longer allows "closed": requests').waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("is approved with a reason and an end, by a session that may, and the approval can be ended", async () => {
    // As a pipeline whose gate failed sends it.
    const { scanRunId, serviceId } = await changed("approved", { "waymark-promote": "false" });
    await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
    const { page } = opened;
    await page.goto(`/scan-runs/${scanRunId}?tab=changes`);
    const opener = page.getByRole("button", { name: /^Approve: .*no longer allows "closed": requests/ });
    await opener.click();
    const dialog = page.getByRole("dialog", { name: "Approve 1 change" });
    const submit = dialog.getByRole("button", { name: "Approve", exact: true });
    expect(await submit.isDisabled()).toBe(true);
    await dialog.getByLabel("Reason").fill("All clients were changed.");
    await dialog.getByLabel("Until").fill("2999-12-31");
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await submit.click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText(", until 2999-12-31: All clients were changed.").waitFor();
    expect(await opener.count()).toBe(0);
    await page.goto(`/services/${serviceId}?tab=changes`);
    await page.getByText("Approved changes: 1 approval passes gates").waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.getByRole("button", { name: /^Revoke the approval of/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke the approval" }).click();
    await page.getByText("Approved changes").waitFor({ state: "detached" });
    expect(opened.complaints).toEqual([]);
  });

  it("that is current is approved for itself alone", async () => {
    const { scanRunId } = await changed("current");
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/scan-runs/${scanRunId}?tab=changes`);
    await page.getByRole("button", { name: /^Approve all/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("The changes are current already").waitFor();
    await dialog.getByLabel("Reason").fill("Announced.");
    await dialog.getByRole("button", { name: "Approve", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText(": Announced.").first().waitFor();
    expect(await page.getByRole("button", { name: /^Approve/ }).count()).toBe(0);
    expect(opened.complaints).toEqual([]);
  });

  it("can't be approved by a session that may not", async () => {
    const { scanRunId } = await changed("read-only");
    const key = await createKey(ui.stack, ["services:read", "endpoints:read"]);
    await using opened = await ui.open({ as: key });
    const { page } = opened;
    await page.goto(`/scan-runs/${scanRunId}?tab=changes`);
    await page.getByText("Your key lacks changes:approve").waitFor();
    expect(await page.getByRole("button", { name: /Approve/ }).count()).toBe(0);
    expect(opened.complaints).toEqual([]);
  });
});

describe("a run that was not compared", () => {
  it("says why and what to do, and never that nothing breaks", async () => {
    const payload = scanPayload({ serviceName: "undescribed", endpoints: 2, findings: 0 });
    await ui.scan(payload);
    const { scanRunId } = await ui.scan({ ...payload, endpoints: payload.endpoints.slice(0, 1) });
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/scan-runs/${scanRunId}?tab=changes`);
    const verdict = page.getByRole("region", { name: "Verdict" });
    await verdict.getByText("Not compared: this run has no description").waitFor();
    await verdict.getByText("--no-description").waitFor();
    await page.getByText("1 of them breaks clients.").waitFor();
    expect(await page.getByText("nothing").count()).toBe(0);
    expect(opened.complaints).toEqual([]);
  });

  it("shows the verdicts by itself once the descriptions are compared", async () => {
    await scanDescription(ui.stack, { serviceName: "pending", description: BEFORE });
    await ui.stack.worker.stop();
    // Its endpoints are stored already, so that it completes without a worker.
    const { scanRunId } = await scanDescription(ui.stack, { serviceName: "pending", description: NARROWED });
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/scan-runs/${scanRunId}?tab=changes`);
    await page.getByText("The descriptions are being compared").waitFor();
    ui.stack.worker = await startWorker(ui.stack);
    await page.getByRole("region", { name: "PUT /locks/{id}" }).waitFor();
    expect(opened.complaints).toEqual([]);
  });
});
