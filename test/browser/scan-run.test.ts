import type { ScanIngestionResult } from "@waymark/shared/scans/schema.ts";
import { sourceHeadersOf } from "@waymark/shared/scans/source/headers.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startConsole, type TestConsole } from "@waymark/test-support/console.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { startWorker } from "@waymark/test-support/stack.ts";

let ui: TestConsole;
beforeAll(async () => {
  ui = await startConsole();
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

describe("a scan run", () => {
  it("is updated live: first its progress, then its result, without a reload", async () => {
    await ui.stack.worker.stop();
    const { body } = await ingest(
      ui.stack,
      scanPayload({ serviceName: "live", endpoints: 12, seed: "live" }),
    );
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/scan-runs/${body.scanRunId}?tab=endpoints`);
    await page.getByText("Scan received").waitFor();
    await page.getByRole("progressbar", { name: "Storing the scan" }).waitFor();
    ui.stack.worker = await startWorker(ui.stack);
    await page.getByRole("tab", { name: "Endpoints (12)" }).waitFor();
    await page.getByText("12 of 12").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("that failed says why", async () => {
    await ui.stack.worker.stop();
    const { body } = await ingest(ui.stack, scanPayload({ serviceName: "failing", seed: "failing" }));
    const damage = "UPDATE scan_payloads SET items = 'x' WHERE scan_run_id = $1";
    await query(ui.stack, damage, [body.scanRunId]);
    ui.stack.worker = await startWorker(ui.stack);
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/scan-runs/${body.scanRunId}`);
    await page.getByRole("alert").getByText("damaged and can't be read. Submit the scan again.").waitFor();
    await page.goto("/services");
    const row = page.getByRole("row").filter({ hasText: "failing" });
    await row.getByText(/failed just now: .*damaged/).waitFor();
    await row.getByRole("link", { name: "failing" }).click();
    await page
      .getByRole("status")
      .getByText(/just now: .*damaged.* Open the failed run/)
      .waitFor();
    await page.getByRole("tab", { name: "Scan runs" }).click();
    await page.getByRole("cell", { name: /failed.*damaged/ }).waitFor();
    // A later successful scan clears the failure.
    const { serviceId } = await ui.scan(scanPayload({ serviceName: "failing", seed: "fixed" }));
    const { body: service } = await ui.stack.http.get(`/api/services/${serviceId}`);
    expect(service).toMatchObject({ name: "failing", lastFailedScan: null });
    expect(opened.complaints).toEqual([]);
  });

  it("shows which key submitted it, and of which specification", async () => {
    const { scanRunId } = await ui.scan(scanPayload({ serviceName: "facts" }));
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/scan-runs/${scanRunId}`);
    await page.getByText("About this scan", { exact: true }).click();
    for (const fact of ["Orders 1.2.3", "0123456789abcdef".repeat(4), "First key", scanRunId])
      await page.getByRole("definition").filter({ hasText: fact }).waitFor();
    await page.getByRole("link", { name: /^low/ }).click();
    await page.getByRole("tab", { name: /Findings/, selected: true }).waitFor();
    await page.getByText("1 of 2").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("shows where it comes from: the pull request, the branch, the commit, its author and the build", async () => {
    const source = {
      branch: "feature/größe",
      commit: "c0ffee1",
      url: "https://ci.example/builds/7",
      pullRequest: "812",
      pullRequestUrl: "https://git.example/acme/shop/pull/812",
      baseBranch: "main",
      author: "Mira Žák",
      repository: "git@git.example:acme/shop.git",
    };
    const { body } = await ui.stack.http.post<ScanIngestionResult>(
      "/api/scans/ingest",
      scanPayload({ serviceName: "sourced" }),
      { headers: sourceHeadersOf(source) },
    );
    await waitForRun(ui.stack, body.scanRunId);
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/scan-runs/${body.scanRunId}`);
    await page.getByText("About this scan", { exact: true }).click();
    for (const fact of ["812, into main", "feature/größe", "c0ffee1", "Mira Žák", source.repository])
      await page.getByRole("definition").filter({ hasText: fact }).waitFor();
    const hrefOf = (name: string) => page.getByRole("link", { name, exact: true }).getAttribute("href");
    expect(await hrefOf("ci.example")).toBe(source.url);
    expect(await hrefOf("812")).toBe(source.pullRequestUrl);
    // The line at the top leads to each, too.
    expect(await hrefOf("pull request 812")).toBe(source.pullRequestUrl);
    expect(await hrefOf("main")).toBe(`/services/${body.serviceId}?tab=runs&branch=main`);
    // No page of the web.
    expect(await page.getByRole("link", { name: source.repository }).count()).toBe(0);
    await page.goto(`/services/${body.serviceId}?tab=runs`);
    const line = page.getByRole("cell", {
      name: "pull request 812 · feature/größe → main · Mira Žák · c0ffee1",
    });
    await line.waitFor();
    expect(await line.getByRole("link").getAttribute("href")).toBe(source.pullRequestUrl);
    expect(opened.complaints).toEqual([]);
  });

  it("leads from an endpoint to its findings and back", async () => {
    const payload = scanPayload({ serviceName: "crossing", endpoints: 3, findings: 3 });
    const place = { method: "GET", path: "/books" } as const;
    Object.assign(payload.endpoints[0] ?? {}, place);
    Object.assign(payload.endpoints[1] ?? {}, { method: "POST", path: "/books" });
    Object.assign(payload.endpoints[2] ?? {}, { method: "GET", path: "/books/{id}" });
    Object.assign(payload.findings[0] ?? {}, place);
    Object.assign(payload.findings[1] ?? {}, { method: null, path: "/books" });
    Object.assign(payload.findings[2] ?? {}, { method: "GET", path: "/books/{id}" });
    const { scanRunId } = await ui.scan(payload);
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/scan-runs/${scanRunId}?tab=endpoints`);
    await page.getByRole("link", { name: / 2 findings of GET \/books,/ }).click();
    await page.getByText("2 of 3").waitFor();
    await page.getByRole("button", { name: "Only GET /books. Show all" }).click();
    await page.getByText("3 of 3").waitFor();
    await page.getByRole("link", { name: "/books", exact: true }).click();
    await page.getByText("2 of 3").waitFor();
    await page.goBack();
    await page.getByRole("tab", { name: /Findings/, selected: true }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("opens a finding with its whole text, by keyboard, and a link leads to it", async () => {
    const payload = scanPayload({ serviceName: "wordy", endpoints: 1, findings: 3 });
    const message = `${"A long explanation. ".repeat(20)}The end.`;
    Object.assign(payload.findings[2] ?? {}, {
      message,
      severity: "critical",
      method: "GET",
      path: "/books",
      code: "operation-description",
    });
    const { scanRunId } = await ui.scan(payload);
    await using opened = await ui.open({ isNew: true });
    const { page } = opened;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto(`/scan-runs/${scanRunId}?tab=findings`);
    const row = page.getByRole("button", { name: /The end\.$/ });
    await row.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByText(message).waitFor();
    await dialog.getByRole("link", { name: "GET /books" }).waitFor();
    await dialog.getByRole("definition").getByText("just now").waitFor();
    await dialog.getByRole("button", { name: "Copy the finding" }).click();
    await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toContain(message);
    const rule = dialog.getByRole("link", { name: "operation-description (documentation)" });
    expect(await rule.getAttribute("href")).toMatch(/^https:\/\/redocly\.com\/.*\/operation-description$/);
    await page.waitForURL(/finding=/);
    const link = page.url();
    await page.goBack();
    await dialog.waitFor({ state: "detached" });
    await row.and(page.locator(":focus")).waitFor();
    await page.goto(link);
    await dialog.getByText(message).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("tab", { name: /Findings/, selected: true }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("shows hostile strings as text", async () => {
    const script = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>`;
    const payload = scanPayload({ serviceName: script, endpoints: 1, findings: 1 });
    Object.assign(payload.endpoints[0] ?? {}, { path: script, summary: script, tags: [script] });
    Object.assign(payload.findings[0] ?? {}, { message: script, code: script.slice(0, 120), path: script });
    const { scanRunId } = await ui.scan(payload);
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/scan-runs/${scanRunId}?tab=endpoints`);
    await page.getByRole("heading", { name: script }).waitFor();
    await page.getByRole("cell", { name: script }).first().waitFor();
    await page.getByRole("tab", { name: /Findings/ }).click();
    await page.getByRole("cell", { name: script }).first().waitFor();
    await page.goto("/services");
    await page.getByRole("link", { name: script }).waitFor();
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    expect(opened.complaints).toEqual([]);
  });
});

describe("a run's changes", () => {
  it("are those since the previous run, or since any other, which a link keeps", async () => {
    const before = scanPayload({ serviceName: "changing", endpoints: 3, findings: 1 });
    const { scanRunId: oldest } = await ui.scan({ ...before, endpoints: before.endpoints.slice(0, 1) });
    await ui.scan(before);
    const [, ...kept] = before.endpoints;
    const renamed = kept.map((each, n) =>
      n === 0 ? { ...each, path: each.path.replace("{id}", "{thing}") } : each,
    );
    const { scanRunId } = await ui.scan({ ...before, endpoints: renamed, findings: [] });
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/scan-runs/${scanRunId}?tab=changes`);
    const gone = page.getByRole("region", { name: "/v1/things/0/{id}" });
    await gone.getByText("breaks clients", { exact: true }).waitFor();
    await gone.getByText("The operation is gone: whoever calls it gets an error.").waitFor();
    await page.getByText("Fixed findings (1)").waitFor();
    await page
      .getByRole("region", { name: "/v1/things/1/{thing}" })
      .getByText("The names of path parameters are not part of a request, so no client breaks.")
      .waitFor();
    await page.getByText("3 changes since the previous run. 1 of them breaks clients.").waitFor();
    await page.getByRole("tab", { name: "Changes (3)", selected: true }).waitFor();

    await page.getByRole("combobox", { name: "Compare with" }).click();
    await expect.poll(() => page.getByRole("option").count()).toBe(2);
    await page.getByRole("option").last().click();
    await expect.poll(() => page.getByRole("heading", { name: / new$/ }).count()).toBe(2);
    await page.waitForURL(`**against=${oldest}`);
    await page.reload();
    await expect.poll(() => page.getByRole("heading", { name: / new$/ }).count()).toBe(2);
    expect(opened.complaints).toEqual([]);
  });
});
