import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScanIngestionResult } from "@waymark/shared/scans/schema.ts";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { holdRequests } from "@waymark/test-support/hold-requests.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { startWorker } from "@waymark/test-support/stack.ts";

let ui: TestConsole;
beforeAll(async () => {
  ui = await startConsole();
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

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
    const days = async () => {
      const cells = await page.getByRole("row").nth(1).getByRole("cell").allTextContents();
      return cells.slice(-2);
    };
    await expect.poll(days).toEqual([day(2), day(0)]);
    await page.getByLabel("Search").fill(both.endpoints[1]?.path ?? "");
    await page.getByText("1 of 2").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("says how many findings it has now, by severity, and leads to them", async () => {
    const { serviceId, scanRunId } = await ui.scan(
      // Seven findings: two of the two most frequent severities.
      scanPayload({ serviceName: "judged", endpoints: 3, findings: 7 }),
    );
    await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
    const { page } = opened;
    await page.goto(`/services/${serviceId}`);
    const now = page.getByRole("group", { name: "Findings now" });
    await now.getByRole("link", { name: "7 findings now" }).waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await now.getByRole("link", { name: "1 critical" }).click();
    await page.waitForURL(`**/scan-runs/${scanRunId}?tab=findings&severity=critical`);
    await page.getByText("1 of 7").waitFor();
    await page.goBack();
    await now.getByRole("link", { name: "7 findings now" }).click();
    await page.getByText("7 of 7").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("has a list of its runs that is live", async () => {
    const { serviceId } = await ui.scan(scanPayload({ serviceName: "moving", endpoints: 2, findings: 0 }));
    await ui.stack.worker.stop();
    await ingest(ui.stack, scanPayload({ serviceName: "moving", endpoints: 5, findings: 0, seed: "moved" }));
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/services/${serviceId}?tab=runs`);
    const row = page.getByRole("table").getByRole("row").nth(1);
    await row.getByText("accepted", { exact: true }).waitFor();
    ui.stack.worker = await startWorker(ui.stack);
    await row.getByText("accepted", { exact: true }).waitFor({ state: "detached" });
    await page.getByRole("img", { name: "Endpoints over 2 runs: from 2 to 5" }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("has compact rows on request, also after a reload", async () => {
    const { serviceId, scanRunId } = await ui.scan(scanPayload({ serviceName: "dense", endpoints: 30 }));
    await using opened = await ui.open();
    const { page } = opened;
    const heightOf = async (path: string) => {
      await page.goto(path);
      const row = page.getByRole("table").getByRole("row").nth(1);
      await row.waitFor();
      return (await row.boundingBox())?.height ?? 0;
    };
    const paths = [
      `/services/${serviceId}`,
      `/scan-runs/${scanRunId}?tab=endpoints`,
      `/services/${serviceId}?tab=runs`,
    ];
    const normal: number[] = [];
    for (const path of paths) normal.push(await heightOf(path));
    await page.getByRole("button", { name: "Use compact rows" }).click();
    await page.getByRole("button", { name: "Use normal rows" }).waitFor();
    for (const [index, path] of paths.entries())
      expect(await heightOf(path)).toBeLessThan((normal[index] ?? 0) - 6);
    expect(opened.complaints).toEqual([]);
  });

  it("shows a run that was held back neither in plots nor in headlines, until it is promoted on its page", async () => {
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
    await page.getByText("It was submitted with Waymark-Promote: false.").waitFor();
    const promote = async () => {
      await page.getByRole("button", { name: "More actions" }).click();
      await page.getByRole("button", { name: "Promote this run…" }).click();
    };
    await promote();
    await page.getByRole("dialog").getByText("undo this for 10 minutes").waitFor();
    await page.getByRole("button", { name: "Promote", exact: true }).click();
    await page.getByText("It is the current run of gated.").waitFor();
    await page.getByRole("button", { name: "Undo the promotion" }).click();
    await promote();
    await page.getByRole("button", { name: "Promote", exact: true }).click();
    await page.getByText("not promoted", { exact: true }).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "gated" }).click();
    await page.getByText("4 endpoints", { exact: true }).waitFor();
    await page.getByRole("img", { name: "Endpoints over 2 runs: from 8 to 4" }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("shows the runs of one branch, which the address names", async () => {
    const scan = (branch: string, endpoints: number) =>
      ui.stack.http.post<{ scanRunId: string; serviceId: string }>(
        "/api/scans/ingest",
        scanPayload({ serviceName: "branched", endpoints, findings: 0 }),
        { headers: { "waymark-branch": encodeURIComponent(branch), "waymark-commit": "0123456789abcdef" } },
      );
    for (const [branch, endpoints] of [
      ["main", 2],
      ["größe", 3],
      ["main", 4],
    ] as const)
      await waitForRun(ui.stack, (await scan(branch, endpoints)).body.scanRunId);
    const { serviceId, scanRunId } = (await scan("größe", 5)).body;
    await waitForRun(ui.stack, scanRunId);
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/scan-runs/${scanRunId}`);
    await page.getByRole("link", { name: "größe" }).click();
    const branches = () => page.getByRole("cell", { name: /0123456$/ }).allTextContents();
    await expect.poll(branches).toEqual(["branch größe · 0123456", "branch größe · 0123456"]);
    await page.getByRole("combobox", { name: "Branch" }).click();
    await page.getByRole("option", { name: "main" }).click();
    await expect.poll(branches).toEqual(["branch main · 0123456", "branch main · 0123456"]);
    await expect.poll(() => new URL(page.url()).search).toBe("?tab=runs&branch=main");
    // The plots show all branches.
    await page.getByRole("img", { name: "Endpoints over 4 runs: from 2 to 5" }).waitFor();
    await page.goto(`/services/${serviceId}?tab=runs&branch=gone`);
    await page.getByText("No scan run of this service is of the branch “gone”.").waitFor();
    // Choosing the selected option clears it.
    await page.getByRole("combobox", { name: "Branch" }).click();
    await page.getByRole("option", { name: "gone" }).click();
    await expect.poll(async () => (await branches()).length).toBe(4);
    expect(opened.complaints).toEqual([]);
  });

  it("shows how it changed, by whom and from which branch, and leads to the comparison", async () => {
    const payload = scanPayload({ serviceName: "evolving", endpoints: 4, findings: 1 });
    const headers = { "waymark-branch": "main", "waymark-commit": "0123456789abcdef" };
    await ui.scan(payload);
    await ui.scan(payload);
    const smaller = { ...payload, endpoints: payload.endpoints.slice(0, 3), findings: [] };
    const sent = await ui.stack.http.post<ScanIngestionResult>("/api/scans/ingest", smaller, { headers });
    await waitForRun(ui.stack, sent.body.scanRunId);
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/services/${sent.body.serviceId}`);
    await page.getByRole("tab", { name: "Changes" }).click();
    const last = page.getByRole("listitem").first();
    await last.getByText("just now, by key First key, branch main · 0123456").waitFor();
    await last.getByText("1 change breaking clients").waitFor();
    // The repetition in between changed nothing.
    const changes = () => page.getByRole("listitem").getByRole("link").allTextContents();
    await expect.poll(changes).toEqual(["−1 endpoint, −1 finding", "First scan: 4 endpoints, 1 finding"]);
    await last.getByRole("link").click();
    await page.getByText("The operation is gone: whoever calls it gets an error.").waitFor();
    await page.getByText("Fixed findings (1)").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("shows its default branch, as its scans name it or as it is set, and lets it be changed", async () => {
    const { body } = await ui.stack.http.post<ScanIngestionResult>(
      "/api/scans/ingest",
      scanPayload({ serviceName: "of a branch", findings: 0 }),
      { headers: { "waymark-default-branch": "trunk" } },
    );
    await waitForRun(ui.stack, body.scanRunId);
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/services/${body.serviceId}`);
    await page.getByText("Default branch: trunk (named by its scans)").waitFor();
    const change = async (branch: string) => {
      await page.getByRole("button", { name: "Change the default branch" }).click();
      await page.getByRole("textbox", { name: "Branch" }).fill(branch);
      await page.getByRole("button", { name: "Save" }).click();
    };
    await change("release/1.x");
    await page.getByText("Default branch: release/1.x", { exact: true }).waitFor();
    await change("");
    await page.getByText("Default branch: trunk (named by its scans)").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("has a badge, whose address is shown once, and can be replaced and deleted", async () => {
    const { serviceId } = await ui.scan(scanPayload({ serviceName: "badged", findings: 0 }));
    await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
    const { page } = opened;
    await page.goto(`/services/${serviceId}`);
    const opener = page.getByRole("button", { name: "Badge", exact: true });
    await opener.click();
    const dialog = page.getByRole("dialog", { name: "Badge" });
    await dialog.getByText("This service has no badge.").waitFor();
    const creating = await holdRequests(page, "**/badge", (request) => request.method() === "POST");
    await dialog.getByRole("button", { name: "Create badge" }).click();
    await creating.begun;
    // Nothing else would show the address.
    await page.keyboard.press("Escape");
    await creating.letGo();
    const image = dialog.getByRole("img", { name: "The badge" });
    await image.waitFor();
    const isShown = "document.querySelector('[role=dialog] img').naturalWidth > 0";
    await expect.poll(() => page.evaluate(isShown)).toBe(true);
    const markdown = (await dialog.getByText("[![API contract of badged](").textContent()) ?? "";
    const address = /\((.*?)\)/.exec(markdown)?.[1] ?? "";
    expect(markdown).toContain(`](${ui.stack.api.baseUrl}/services/${serviceId})`);
    expect((await fetch(address)).status).toBe(200);
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await opener.and(page.locator(":focus")).waitFor();
    await opener.click();
    await dialog.getByText("Created just now by key First key.").waitFor();
    expect(await page.content()).not.toContain("wmb_");
    await dialog.getByRole("button", { name: "Delete badge" }).click();
    await dialog.getByText("This service has no badge.").waitFor();
    expect((await fetch(address)).status).toBe(404);
    expect(opened.complaints).toEqual([]);
  });
});
