import { readFile } from "node:fs/promises";
import type { Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startConsole, type TestConsole } from "@waymark/test-support/console.ts";
import { createJourneyPages, type PageCase } from "@waymark/test-support/console-pages.ts";
import { holdRequests } from "@waymark/test-support/hold-requests.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";

const ENDPOINTS = 2000;
/** As many services that the list of a filter has a search. */
const MANY = Array.from({ length: 12 }, (_, n) => `team ${n}`);
const ID_BEGIN = "01900000-0000-7000-8000-0000000000";

let ui: TestConsole;
let run: string;
let service: string;
let journeyPages: PageCase[];
beforeAll(async () => {
  ui = await startConsole();
  const payload = scanPayload({ serviceName: "first", endpoints: ENDPOINTS, findings: 20 });
  await ui.scan({ ...payload, endpoints: payload.endpoints.slice(0, 1990) });
  const scan = await ui.scan(payload);
  run = `/scan-runs/${scan.scanRunId}`;
  service = `/services/${scan.serviceId}`;
  journeyPages = await createJourneyPages(ui.stack);
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

describe("while the rest of the console still loads, the page asks for", () => {
  const CONSOLE = /\/assets\/start-.*\.js$/;
  const pathOf = (name: string) => {
    const found = journeyPages.find((one) => one.name === name);
    if (found === undefined) throw new Error(`there is no page ${name}`);
    return found;
  };

  /** Returns the expected requests that the page doesn't send while the scripts that show it are held back. */
  async function missingOf(path: string, expected: readonly string[]): Promise<string[]> {
    await using opened = await ui.open({ isNew: true });
    const { page } = opened;
    const requested: string[] = [];
    page.on("request", (request) => {
      const { pathname, search } = new URL(request.url());
      requested.push(
        `${pathname}${search}`
          .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID")
          .replace(/-[\w-]{7}\.js$/, ".js"),
      );
    });
    const scripts = await holdRequests(page, CONSOLE);
    await page.goto(path, { waitUntil: "commit" });
    const missing = () => expected.filter((one) => !requested.includes(one));
    await vi
      .waitUntil(() => scripts.held.length > 0 && missing().length === 0, 20_000)
      .catch(() => undefined);
    if (scripts.held.length === 0) throw new Error("nothing of the console is held");
    const left = missing();
    await scripts.letGo();
    return left;
  }

  const ofRun = (path: string) => `/api/scan-runs/ID${path}`;
  it.each<[what: string, path: () => string, expected: string[]]>([
    [
      "a run's service, submitter, broken journeys and changes",
      () => run,
      [
        ofRun(""),
        "/api/services/ID",
        "/api/api-keys/ID?organizationId=ID",
        ofRun("/broken-journeys"),
        ofRun("/changes?against=previous"),
      ],
    ],
    [
      "a run's first endpoints and findings, if their tab is open",
      () => `${run}?tab=endpoints`,
      [ofRun("/endpoints?limit=100"), ofRun("/findings?limit=2000")],
    ],
    ["a run's findings, if their tab is open", () => `${run}?tab=findings`, [ofRun("/findings?limit=2000")]],
    [
      "a service's runs and first endpoints",
      () => service,
      ["/api/services/ID", "/api/services/ID/scan-runs?limit=200", "/api/services/ID/endpoints?limit=100"],
    ],
    ["a journey's runs", () => pathOf("a journey's runs").path, ["/api/journey-runs?journeyId=ID&limit=50"]],
    [
      "a journey's versions and who saved them, if their tab is open",
      () => `${pathOf("a journey's runs").path}?tab=versions`,
      ["/api/journeys/ID/versions?limit=200", "/api/api-keys?organizationId=ID&limit=200"],
    ],
    [
      "who started a run of a journey, and its steps",
      () => pathOf("a run of a journey").path,
      ["/api/journey-runs/ID/steps?after=-1&waitSeconds=0", "/api/api-keys/ID?organizationId=ID"],
    ],
    ["an environment's secrets", () => pathOf("an environment").path, ["/api/environments/ID/secrets"]],
    [
      "a journey's text, and its last run",
      () => pathOf("a journey's steps").path,
      ["/api/journeys/ID", "/api/journeys/ID/versions/1", "/api/journey-runs/ID"],
    ],
    [
      "the coverage, and what its filters offer",
      () => "/coverage",
      [
        "/api/journey-coverage?window=30&limit=2000",
        "/api/services?limit=200",
        "/api/environments?limit=200",
      ],
    ],
  ])("%s", async (_what, path, expected) => {
    expect(await missingOf(path(), expected)).toEqual([]);
  });
});

it("what reads YAML with its positions loads in build mode alone", async () => {
  await using opened = await ui.open({ isNew: true });
  const { page } = opened;
  const loaded: string[] = [];
  page.on("response", async (response) => {
    if (!response.url().endsWith(".js")) return;
    // A type of node of the parser, as a text.
    const text = await response.text().catch(() => "");
    if (/["'`]flow-collection["'`]/.test(text)) loaded.push(new URL(response.url()).pathname);
  });
  for (const { path, ready } of journeyPages.filter((one) => !one.path.includes("/edit"))) {
    await page.goto(path);
    await ready(page);
  }
  expect(loaded).toEqual([]);
  const steps = journeyPages.find((one) => one.path.includes("/edit"));
  await page.goto(steps?.path ?? "");
  await expect.poll(() => loaded.length).toBe(1);
});

it("the versions of a journey are shown with the names of who saved them, and never with ids in their place", async () => {
  await using opened = await ui.open({ isNew: true });
  const { page } = opened;
  const journey = journeyPages.find((one) => one.name === "a journey's runs");
  const names = await holdRequests(page, /\/api\/api-keys\?/);
  const versions = page.waitForResponse(/\/versions\?/);
  await page.goto(`${journey?.path}?tab=versions`);
  await (await versions).finished();
  await expect.poll(() => names.held.length).toBe(1);
  await page.getByLabel("Loading the versions").waitFor();
  const table = page.getByRole("table");
  expect(await table.count()).toBe(0);
  await names.letGo();
  await table.waitFor();
  expect(await table.locator("[data-label='Saved by']").allTextContents()).not.toContainEqual(
    expect.stringMatching(/^[0-9a-f]{8}-/),
  );
  expect(opened.complaints).toEqual([]);
});

describe("lists to choose from", () => {
  it.each<[how: string, reach: (field: Locator) => Promise<void>]>([
    ["the pointer", (field) => field.hover()],
    ["the focus", (field) => field.focus()],
  ])("load when %s reaches one", async (_how, reach) => {
    await using opened = await ui.open({ isNew: true });
    const { page } = opened;
    let lists = 0;
    page.on("request", (request) => {
      if (request.url().includes("/assets/select-list")) lists++;
    });
    await page.goto("/coverage");
    await page.getByText("30 of 30").waitFor();
    await page.waitForLoadState("networkidle");
    expect(lists).toBe(0);
    await reach(page.getByRole("combobox", { name: "Environment" }));
    await expect.poll(() => lists).toBe(1);
    expect(opened.complaints).toEqual([]);
  });

  it.each(["ArrowDown", "Enter", " "])("open if %j was pressed while they were loading", async (key) => {
    await using opened = await ui.open({ isNew: true });
    const { page } = opened;
    const list = await holdRequests(page, /\/assets\/select-list/);
    await page.goto("/coverage");
    await page.getByRole("combobox", { name: "Run by" }).focus();
    await expect.poll(() => list.held.length).toBe(1);
    await page.keyboard.press(key);
    await list.letGo();
    await page.getByRole("option", { name: "cloud runner" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/origin=/);
    expect(opened.complaints).toEqual([]);
  });

  it("search for what was typed while they were loading", async () => {
    await using opened = await ui.open({ isNew: true });
    const { page } = opened;
    await page.route(/\/api\/services\?limit=200/, async (route) => {
      const response = await route.fetch();
      const { services } = (await response.json()) as { services: { id: string; name: string }[] };
      const more = MANY.map((name, n) => ({ ...services[0], id: `${ID_BEGIN}${10 + n}`, name }));
      await route.fulfill({ response, json: { services: more } });
    });
    const list = await holdRequests(page, /\/assets\/select-list/);
    await page.goto("/coverage");
    await page.getByText("30 of 30").waitFor();
    const field = page.getByRole("combobox", { name: "Service" });
    await field.focus();
    await expect.poll(() => list.held.length).toBe(1);
    await page.keyboard.type("team 7");
    await list.letGo();
    await page.getByRole("option").first().waitFor();
    expect(await field.inputValue()).toBe("team 7");
    expect(await page.getByRole("option").allTextContents()).toEqual(["team 7"]);
    await page.keyboard.press("Enter");
    await page.waitForURL(/service=/);
    expect(opened.complaints).toEqual([]);
  });

  it("leave the focus where it went while they were loading", async () => {
    await using opened = await ui.open({ isNew: true });
    const { page } = opened;
    const list = await holdRequests(page, /\/assets\/select-list/);
    await page.goto("/coverage");
    const combobox = page.getByRole("combobox", { name: "Service" });
    await combobox.focus();
    await expect.poll(() => list.held.length).toBe(1);
    await page.keyboard.press("Tab");
    const focused = () => page.evaluate<string>("document.activeElement.labels?.[0]?.textContent ?? ''");
    const next = await focused();
    expect(next).not.toBe("Service");
    expect(next).not.toBe("");
    await list.letGo();
    // Only the list itself has a hidden field with its value.
    await page.locator("main input[type=hidden]").first().waitFor({ state: "attached" });
    expect(await focused()).toBe(next);
  });
});

describe.each([
  { what: "run", pathOf: () => `${run}?tab=endpoints`, name: "Endpoints" },
  { what: "service", pathOf: () => service, name: "Current endpoints" },
])("the endpoints of a large $what, of which only the first have come", ({ pathOf, name }) => {
  const REGION = `document.querySelector("main [role=region]")`;
  const OTHERS = /\/endpoints\?.*cursor=/;

  it("are counted whole, have room for all, and show the others once they come", async () => {
    await using opened = await ui.open({ isNew: true });
    const { page } = opened;
    const others = await holdRequests(page, OTHERS);
    await page.goto(pathOf());
    await page.getByText("2,000 of 2,000").waitFor();
    await page.getByRole("cell", { name: "/v1/things/0/" }).first().waitFor();
    await expect.poll(() => others.held.length).toBe(1);
    const table = page.getByRole("table", { name });
    expect(await table.getAttribute("aria-rowcount")).toBe("2001");
    const heightOf = () => page.evaluate<number>(`${REGION}.scrollHeight`);
    const height = await heightOf();
    expect(height).toBeGreaterThan(ENDPOINTS * 20);
    await page.evaluate(`${REGION}.scrollTo(0, ${height})`);
    const last = table.locator('[aria-rowindex="2001"]');
    expect(await last.count()).toBe(0);
    await others.letGo();
    await last.waitFor();
    expect(await heightOf()).toBe(height);
    expect(opened.complaints).toEqual([]);
  });

  it("are filtered, sorted, printed and downloaded only when all are there", async () => {
    await using opened = await ui.open({ isNew: true });
    const { page } = opened;
    const others = await holdRequests(page, OTHERS);
    await page.goto(pathOf());
    await page.getByText("2,000 of 2,000").waitFor();
    const table = page.getByRole("table", { name });
    const loading = page.getByLabel("Loading all endpoints");
    await page.evaluate(`dispatchEvent(new Event("beforeprint"))`);
    await loading.waitFor();
    await page.evaluate(`dispatchEvent(new Event("afterprint"))`);
    await table.waitFor();
    await page.getByRole("button", { name: "Path" }).click();
    await loading.waitFor();
    await page.getByLabel("Search").fill("/v1/things/77");
    await page.getByRole("status").getByText("Loading all 2,000").waitFor();
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download as CSV" }).click();
    await others.letGo();
    await page.getByText("11 of 2,000").waitFor();
    expect(await loading.count()).toBe(0);
    await page.locator("[aria-sort=ascending]").getByText("Path").waitFor();
    const text = await readFile(await (await downloading).path(), "utf8");
    expect(text.match(/things\/77/g)).toHaveLength(11);
    expect(opened.complaints).toEqual([]);
  });

  it("stay when the others can't be loaded, and a button tries again", async () => {
    await using opened = await ui.open({ isNew: true });
    const { page } = opened;
    let asked = 0;
    await page.route(OTHERS, (route) => {
      asked++;
      return route.fulfill({ status: 404, json: {} });
    });
    await page.goto(pathOf());
    await page.getByRole("cell", { name: "/v1/things/0/" }).first().waitFor();
    const retry = page.getByRole("button", { name: "Try again" });
    await retry.waitFor();
    await page.waitForTimeout(500);
    expect(asked).toBe(1);
    await page.unroute(OTHERS);
    await retry.click();
    await retry.waitFor({ state: "detached" });
    await page.getByLabel("Search").fill("/v1/things/77");
    await page.getByText("11 of 2,000").waitFor();
    expect(opened.complaints).toEqual([]);
  });
});
