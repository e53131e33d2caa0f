import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startConsole, type TestConsole, violationsOf } from "@waymark/test-support/console.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { waitForRun } from "@waymark/test-support/scans.ts";

const FIRST_LOAD_BYTES_MAX = 250_000;
/** Below 0.1 is what Web Vitals calls good. */
const LAYOUT_SHIFT_MAX = 0.05;

interface PageCase {
  name: string;
  path: string;
  /** Waits for the page to be there, all of it. */
  ready: (page: Page) => Promise<unknown>;
}

let ui: TestConsole;
let pages: PageCase[];
beforeAll(async () => {
  ui = await startConsole();
  const scanned = { serviceName: "craft", findings: 20 };
  await ui.scan(scanPayload({ ...scanned, endpoints: 60 }));
  const { scanRunId, serviceId } = await ui.scan(scanPayload({ ...scanned, endpoints: 61 }));
  const held = await ui.stack.http.post<{ scanRunId: string }>(
    "/api/scans/ingest",
    scanPayload({ ...scanned, endpoints: 62 }),
    { headers: { "waymark-promote": "false" } },
  );
  await waitForRun(ui.stack, held.body.scanRunId);
  pages = [
    { name: "services", path: "/", ready: (page) => page.getByRole("link", { name: "craft" }).waitFor() },
    { name: "a service", path: `/services/${serviceId}`, ready: plotted },
    { name: "a service's runs", path: `/services/${serviceId}?tab=runs`, ready: plotted },
    {
      name: "a scan run",
      path: `/scan-runs/${scanRunId}`,
      ready: (page) => page.getByText("61 of 61").waitFor(),
    },
    {
      name: "the findings of a run that was not promoted",
      path: `/scan-runs/${held.body.scanRunId}?tab=findings`,
      ready: (page) => page.getByText("20 of 20").waitFor(),
    },
    {
      name: "a run's changes",
      path: `/scan-runs/${scanRunId}?tab=changes`,
      ready: (page) => page.getByRole("heading", { name: /^Added endpoints/ }).waitFor(),
    },
    {
      name: "API keys",
      path: "/api-keys",
      ready: (page) => page.getByRole("button", { name: "Details of First key" }).waitFor(),
    },
    {
      name: "nothing",
      path: "/scan-runs/11111111-1111-1111-1111-111111111111",
      ready: (page) => page.getByText("Not found").waitFor(),
    },
  ];
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

const plotted = (page: Page) =>
  page
    .getByRole("img", { name: /^Findings over 2 runs/ })
    .locator("canvas")
    .waitFor();

/** Everything on the page as axe sees it, in both colour schemes. */
async function violationsInBothSchemes(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
    const lines = await violationsOf(new AxeBuilder({ page }), { coloursOnly: colorScheme === "dark" });
    found.push(...lines.map((line) => `${colorScheme}: ${line}`));
  }
  return found;
}

describe("every page", () => {
  it(
    "has nothing that axe finds, in light and dark, and keeps to its own policy",
    { timeout: 300_000 },
    async () => {
      await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
      const { page } = opened;
      for (const { name, path, ready } of pages) {
        await page.goto(path);
        await ready(page);
        expect({ name, violations: await violationsInBothSchemes(page) }).toEqual({ name, violations: [] });
      }
      expect(opened.complaints).toEqual([]);
    },
  );

  it("has nothing that axe finds in its dialogs and on the sign-in page", async () => {
    await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
    const { page } = opened;
    await page.goto("/api-keys");
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByLabel("Name").fill("seen by axe");
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByTestId("raw-key").waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.getByRole("button", { name: "I've saved the key" }).click();
    await page.getByRole("button", { name: "Details of seen by axe" }).click();
    await page.getByRole("button", { name: "Revoke…" }).click();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    const findings = pages.find(({ path }) => path.endsWith("?tab=findings"))?.path;
    await page.goto(`${findings}&finding=0`);
    await page.getByRole("dialog", { name: "Finding" }).waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await using signedOut = await ui.open({ as: null });
    await signedOut.page.goto("/");
    await signedOut.page.getByLabel("API key").waitFor();
    expect(await violationsInBothSchemes(signedOut.page)).toEqual([]);
    expect([...opened.complaints, ...signedOut.complaints]).toEqual([]);
  }, 240_000);

  it("is loaded with less than 250 kB, its plots included, and does not shift as it arrives", async () => {
    const loads: { name: string; bytes: number; shifted: number }[] = [];
    for (const { name, path, ready } of pages) {
      // A browser that has seen nothing before.
      await using opened = await ui.open();
      const { page } = opened;
      await page.addInitScript(`
        window.shifted = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
        }).observe({ type: "layout-shift", buffered: true });`);
      await page.goto(path);
      await ready(page);
      const bytes = await page.evaluate<number>(
        `[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
           .filter((entry) => !new URL(entry.name).pathname.startsWith("/api/"))
           .reduce((sum, entry) => sum + entry.transferSize, 0)`,
      );
      const shifted = await page.evaluate<number>("window.shifted");
      loads.push({ name, bytes, shifted });
    }
    // Something was counted at all.
    expect(loads.filter(({ bytes }) => bytes < 50_000)).toEqual([]);
    expect(loads.filter(({ bytes }) => bytes >= FIRST_LOAD_BYTES_MAX)).toEqual([]);
    expect(loads.filter(({ shifted }) => shifted >= LAYOUT_SHIFT_MAX)).toEqual([]);
  }, 240_000);

  it("fits a phone without scrolling sideways", async () => {
    const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };
    await using opened = await ui.open({ context: phone });
    const { page } = opened;
    for (const { name, path, ready } of pages) {
      await page.goto(path);
      await ready(page);
      const wider = await page.evaluate<string[]>(
        `[document.documentElement, ...document.querySelectorAll("main *")]
           .filter((element) => ["auto", "scroll"].includes(getComputedStyle(element).overflowX) || element === document.documentElement)
           .filter((element) => element.scrollWidth > element.clientWidth + 1)
           .map((element) => element.outerHTML.slice(0, 120))`,
      );
      expect({ name, wider }).toEqual({ name, wider: [] });
    }
    expect(opened.complaints).toEqual([]);
  }, 240_000);

  it("stands still for who prefers reduced motion", async () => {
    await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
    const { page } = opened;
    // What waits is what moves: the answer never comes.
    await page.route("**/api/services?*", () => undefined);
    await page.goto("/");
    await page.getByLabel("Loading the services").waitFor();
    const moving = () =>
      page.evaluate<number>("document.getAnimations().filter((one) => one.playState === 'running').length");
    // A transition without duration runs until the next frame.
    await expect.poll(moving).toBe(0);
    await page.unrouteAll({ behavior: "ignoreErrors" });
  });

  it("is served with a policy that lets in nothing but its own", async () => {
    const { headers, text } = await ui.stack.http.get("/", { key: null });
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    // No inline script and no other origin: every script and style is a file of ours.
    expect(text).not.toMatch(/<script(?![^>]*\ssrc="\/assets\/)|<style|(src|href)="(https?:)?\/\//);
  });
});
