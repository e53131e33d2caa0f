import axe from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  startConsole,
  type TestConsole,
  untilStill,
  violationsInBothSchemes,
  WCAG_22_AA,
} from "@waymark/test-support/console.ts";
import { createJourneyPages, OBSERVE_SHIFTS, type PageCase } from "@waymark/test-support/console-pages.ts";
import { overlayText, storeDocument } from "@waymark/test-support/journeys.ts";
import { storeUser } from "@waymark/test-support/principals.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { waitForRun } from "@waymark/test-support/scans.ts";

/** Build mode takes most of it. */
const FIRST_LOAD_BYTES_MAX = 230_000;
/** Web Vitals rates a value below 0.1 as good. */
const LAYOUT_SHIFT_MAX = 0.05;
/** A run that waits or is under way is read again each second. Events of requests arrive late, so two of them can be closer here. */
const LIVE_RUN = /\/api\/journey-runs\/[^/?]+$/;
const LIVE_MS = 800;

let ui: TestConsole;
let pages: PageCase[];
beforeAll(async () => {
  ui = await startConsole();
  const scanned = { serviceName: "craft", findings: 6 };
  await ui.scan(scanPayload({ ...scanned, endpoints: 12 }));
  const { scanRunId, serviceId } = await ui.scan(scanPayload({ ...scanned, endpoints: 13 }));
  const held = await ui.stack.http.post<{ scanRunId: string }>(
    "/api/scans/ingest",
    scanPayload({ ...scanned, endpoints: 14 }),
    { headers: { "waymark-promote": "false" } },
  );
  await waitForRun(ui.stack, held.body.scanRunId);
  const decision = { kind: "wont_fix", serviceId, code: "c", reason: "known" };
  await ui.stack.http.post("/api/finding-decisions", decision);
  const approval = { fingerprints: ["0".repeat(32)], reason: "agreed" };
  await ui.stack.http.post(`/api/services/${serviceId}/change-approvals`, approval);
  pages = [
    {
      name: "the overview",
      path: "/",
      ready: (page) => page.getByRole("link", { name: "The last scan was not promoted" }).waitFor(),
    },
    {
      name: "services",
      path: "/services",
      ready: (page) => page.getByRole("link", { name: "craft" }).waitFor(),
    },
    {
      name: "the findings of all services",
      path: "/findings",
      ready: (page) => page.getByRole("status").getByText("6 findings", { exact: true }).waitFor(),
    },
    {
      name: "the decisions about findings",
      path: "/decisions",
      ready: (page) => page.getByRole("status").getByText("1 decision", { exact: true }).waitFor(),
    },
    {
      name: "the approvals of changes",
      path: "/decisions?tab=changes",
      ready: (page) => page.getByRole("status").getByText("1 approval", { exact: true }).waitFor(),
    },
    {
      name: "the endpoints of all services",
      path: "/endpoints?q=v1",
      ready: (page) => page.getByRole("status").getByText("13 endpoints").waitFor(),
    },
    {
      name: "a service",
      path: `/services/${serviceId}`,
      ready: async (page) => {
        await plotted(page);
        await page.getByRole("table", { name: "Endpoints" }).waitFor();
      },
    },
    {
      name: "a service's changes",
      path: `/services/${serviceId}?tab=changes`,
      ready: async (page) => {
        await plotted(page);
        await page.getByRole("link", { name: "+1 endpoint" }).waitFor();
      },
    },
    { name: "a service's runs", path: `/services/${serviceId}?tab=runs`, ready: plotted },
    {
      name: "a scan run",
      path: `/scan-runs/${scanRunId}?tab=endpoints`,
      ready: (page) => page.getByText("13 of 13").waitFor(),
    },
    {
      name: "the findings of a run that was not promoted",
      path: `/scan-runs/${held.body.scanRunId}?tab=findings`,
      ready: (page) => page.getByText("6 of 6").waitFor(),
    },
    {
      name: "a run's changes",
      path: `/scan-runs/${scanRunId}`,
      ready: (page) => page.getByRole("heading", { name: / new$/ }).first().waitFor(),
    },
    ...(await createJourneyPages(ui.stack)),
    await createVariantPage(),
    {
      name: "a new journey",
      path: "/journeys/new?from=empty",
      ready: (page) => page.getByLabel("URL of its first request").waitFor(),
    },
    {
      name: "API keys",
      path: "/api-keys",
      ready: (page) => page.getByRole("button", { name: "Details of First key" }).waitFor(),
    },
    {
      name: "trust policies",
      path: "/trust-policies",
      ready: (page) => page.getByText("No trust policies yet.").waitFor(),
    },
    {
      name: "the audit log",
      path: "/audit-log",
      ready: (page) => page.getByRole("cell", { name: "Schedule created" }).waitFor(),
    },
    {
      name: "the limits",
      path: "/limits",
      // The list of schedules is the last that it needs.
      ready: (page) => page.getByText("1 of 100").waitFor(),
    },
    {
      name: "people",
      path: "/people",
      ready: (page) => page.getByRole("link", { name: "Ada", exact: true }).waitFor(),
    },
    {
      name: "teams",
      path: "/people?tab=teams",
      ready: (page) => page.getByText("No teams yet.").waitFor(),
    },
    {
      name: "roles",
      path: "/people?tab=roles",
      ready: (page) => page.getByText("journey-editor").waitFor(),
    },
    {
      name: "a person",
      path: `/people/${(await storeUser(ui.stack)).id}`,
      ready: (page) => page.getByRole("heading", { name: "Roles" }).waitFor(),
    },
    {
      name: "my keys of nobody",
      path: "/my-keys",
      ready: (page) => page.getByText("a key that belongs to no user").waitFor(),
    },
    {
      name: "nothing",
      path: "/scan-runs/11111111-1111-1111-1111-111111111111",
      ready: (page) => page.getByText("Not found").waitFor(),
    },
  ];
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

/** A variant needs the overlay engine besides what a journey's steps need. */
async function createVariantPage(): Promise<PageCase> {
  const text = overlayText("craft", "craft.journey.yaml");
  const { id } = await storeDocument(ui.stack, { path: "craft.overlay.yaml", text });
  return {
    name: "a variant's steps",
    path: `/journeys/${id}/edit?step=ping`,
    ready: (page) =>
      Promise.all([
        page.getByLabel("Condition", { exact: true }).waitFor(),
        page.getByText("No problems.").waitFor(),
      ]),
  };
}

const plotted = (page: Page) => page.getByRole("img", { name: /^Findings over 2 runs/ }).waitFor();

interface Visit {
  violations: string[];
  /** Bytes transferred for the page, its scripts and its styles. */
  bytes: number;
  /** How much of the page moved while it loaded. */
  shifted: number;
  /** Elements that are wider than a phone's screen. */
  wider: string[];
  /** How many of its tables can be downloaded. */
  downloads: number;
  /** Requests to the API that the page sent more than once until it was ready. */
  repeated: string[];
}

const TRANSFERRED = `
  [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
    .filter((entry) => !/^\\/api\\/|[.]woff2$/.test(new URL(entry.name).pathname))
    .reduce((sum, entry) => sum + entry.transferSize, 0)`;

const PHONE = { width: 360, height: 740, deviceScaleFactor: 1, mobile: true };

const WIDER = `
  [document.documentElement, ...document.querySelectorAll("main *")]
    .filter((element) => ["auto", "scroll"].includes(getComputedStyle(element).overflowX) || element === document.documentElement)
    .filter((element) => element.scrollWidth > element.clientWidth + 1)
    .map((element) => element.outerHTML.slice(0, 120))`;

/** Opens each page once, as a browser with an empty cache does, on a screen and then on a phone. */
async function visitAll(): Promise<{ visits: Record<string, Visit>; complaints: string[] }> {
  await using opened = await ui.open({ isNew: true });
  const { page, complaints } = opened;
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  await page.addInitScript(OBSERVE_SHIFTS);
  let calls: { url: string; at: number }[] = [];
  page.on("request", (request) => calls.push({ url: request.url(), at: performance.now() }));
  const visits: Record<string, Visit> = {};
  for (const { name, path, ready } of pages) {
    await page.emulateMedia({ colorScheme: null, reducedMotion: null });
    calls = [];
    await page.goto(path);
    await ready(page);
    const repeated = calls
      .filter(({ url }) => url.includes("/api/"))
      .filter(({ url, at }, index, all) => {
        const first = all.findIndex((one) => one.url === url);
        return first < index && !(LIVE_RUN.test(url) && at >= (all[first]?.at ?? 0) + LIVE_MS);
      })
      .map(({ url }) => url);
    const bytes = await page.evaluate<number>(TRANSFERRED);
    const shifted = await page.evaluate<number>("window.shifted");
    const violations = await violationsInBothSchemes(page);
    const downloads = await page.getByRole("button", { name: /^Download .*as CSV$/ }).count();
    await session.send("Emulation.setDeviceMetricsOverride", PHONE);
    await untilStill(page);
    const wider = await page.evaluate<string[]>(WIDER);
    await session.send("Emulation.clearDeviceMetricsOverride");
    visits[name] = { bytes, shifted, downloads, violations, wider, repeated };
  }
  return { visits, complaints };
}

describe("every page", () => {
  let visited: Awaited<ReturnType<typeof visitAll>>;
  beforeAll(async () => {
    visited = await visitAll();
  }, 300_000);

  const visitsWith = (isWrong: (visit: Visit) => boolean) =>
    Object.entries(visited.visits).filter(([, visit]) => isWrong(visit));

  it("is checked by axe for every rule of WCAG 2.2, levels A and AA", () => {
    const checked = axe.getRules(WCAG_22_AA.values).map(({ ruleId }) => ruleId);
    const ofWcag = axe.getRules().filter(({ tags }) => tags.some((tag) => /^wcag2\d?aa?$/.test(tag)));
    expect(ofWcag.map(({ ruleId }) => ruleId).filter((rule) => !checked.includes(rule))).toEqual([]);
    expect(checked).toEqual(expect.arrayContaining(["label-content-name-mismatch", "target-size"]));
  });

  it("has nothing that axe finds, in light and dark, and keeps to its own policy", () => {
    expect(Object.keys(visited.visits)).toHaveLength(pages.length);
    expect(visitsWith(({ violations }) => violations.length > 0)).toEqual([]);
    expect(visited.complaints).toEqual([]);
  });

  it("loads less than 230 kB of scripts and styles, including its plots, and has no layout shift", () => {
    // Something was counted.
    expect(visitsWith(({ bytes }) => bytes < 50_000)).toEqual([]);
    expect(visitsWith(({ bytes }) => bytes >= FIRST_LOAD_BYTES_MAX)).toEqual([]);
    expect(visitsWith(({ shifted }) => shifted >= LAYOUT_SHIFT_MAX)).toEqual([]);
  });

  it("asks the API for nothing twice, also not for what its first script asks for", () => {
    expect(visitsWith(({ repeated }) => repeated.length > 0)).toEqual([]);
  });

  it("offers its tables as files", () => {
    const tables = Object.entries(visited.visits).filter(([, { downloads }]) => downloads > 0);
    expect(Object.fromEntries(tables.map(([name, { downloads }]) => [name, downloads]))).toEqual({
      services: 1,
      "the endpoints of all services": 1,
      "a service": 1,
      "a service's changes": 1,
      "a service's runs": 1,
      "a scan run": 1,
      "the findings of a run that was not promoted": 1,
      journeys: 1,
      "a journey's runs": 1,
      "a journey's versions": 1,
      coverage: 2,
      environments: 1,
      "API keys": 1,
      "the audit log": 1,
      people: 1,
    });
  });

  it("has no axe violations in its dialogs and on the sign-in page", async () => {
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
    await page.getByRole("button", { name: "Revoke key" }).waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    const findings = pages.find(({ path }) => path.endsWith("?tab=findings"))?.path;
    await page.goto(`${findings}&finding=0`);
    await page.getByRole("dialog", { name: "Finding" }).waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await using signedOut = await ui.open({ as: null });
    await signedOut.page.goto("/");
    await signedOut.page.getByLabel("API key").waitFor();
    expect(await violationsInBothSchemes(signedOut.page)).toEqual([]);
    // Checks the check: it finds what is wrong.
    await signedOut.page.evaluate('document.body.insertAdjacentHTML("beforeend", "<img src=/favicon.svg>")');
    expect(await violationsInBothSchemes(signedOut.page)).toEqual([
      expect.stringMatching(/^light: image-alt: <img/),
    ]);
    expect([...opened.complaints, ...signedOut.complaints]).toEqual([]);
  }, 240_000);

  it("fits a phone without horizontal scrolling", () => {
    expect(visitsWith(({ wider }) => wider.length > 0)).toEqual([]);
  });

  it("shows the section of its page in the navigation of a phone", async () => {
    await using opened = await ui.open({ context: { viewport: { width: 390, height: 800 } } });
    const { page } = opened;
    for (const [path, name] of [
      ["/", "Overview"],
      ["/environments", "Environments"],
      ["/api-keys", "API keys"],
    ] as const) {
      await page.goto(path);
      const link = page
        .getByRole("navigation", { name: "Sections" })
        .getByRole("link", { name, exact: true });
      const { x, width } = (await link.boundingBox()) ?? { x: -1, width: 0 };
      expect({ name, isLeft: x >= 16, isRight: x + width <= 390 - 16 }).toEqual({
        name,
        isLeft: true,
        isRight: true,
      });
    }
  });

  it("has no motion for users who prefer reduced motion", async () => {
    await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
    const { page } = opened;
    // Loading indicators move: the response never arrives.
    await page.route("**/api/services?*", () => undefined);
    await page.goto("/services");
    await page.getByLabel("Loading the services").waitFor();
    const moving = () =>
      page.evaluate<number>("document.getAnimations().filter((one) => one.playState === 'running').length");
    // A transition without duration runs until the next frame.
    await expect.poll(moving).toBe(0);
    await page.unrouteAll({ behavior: "ignoreErrors" });
  });

  it("is served with a content security policy that allows only its own files", async () => {
    const { headers, text } = await ui.stack.http.get("/", { key: null });
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    // No inline script and no other origin: every script and style is one of the console's files.
    expect(text).not.toMatch(/<script(?![^>]*\ssrc="\/assets\/)|<style|(src|href)="(https?:)?\/\//);
  });
});
