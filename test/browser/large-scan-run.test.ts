import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { startConsole, type TestConsole } from "@waymark/test-support/console.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { eachInteraction } from "@waymark/test-support/table-interactions.ts";

let ui: TestConsole;
beforeAll(async () => {
  ui = await startConsole();
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

/** Counts the elements that are put into the page from now on. */
const COUNT_ADDED = `window.addedElements = 0;
  new MutationObserver((records) => {
    for (const { addedNodes } of records)
      for (const node of addedNodes)
        if (node instanceof Element) window.addedElements += 1 + node.getElementsByTagName("*").length;
  }).observe(document, { childList: true, subtree: true });`;
/** A window full of rows has about 500 elements. */
const ADDED_MAX = 2_000;

/** Names the page's large responses from the API that compression made less than four times smaller. */
const SENT_PLAIN = `performance.getEntriesByType("resource")
  .filter(({ name, decodedBodySize }) => new URL(name).pathname.startsWith("/api/") && decodedBodySize > 10_000)
  .filter(({ encodedBodySize, decodedBodySize }) => encodedBodySize * 4 > decodedBodySize).map(({ name }) => name)`;

const OTHER_ENDPOINTS = /\/endpoints\?.*cursor=/;
/** Sums the bytes of the API's responses of the page on the network, without their headers. */
const API_BYTES = `performance.getEntriesByType("resource")
  .filter(({ name }) => new URL(name).pathname.startsWith("/api/"))
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`;
/** Each page takes 47 kB at most: 500 findings take 26 kB, since their ids and fingerprints compress little. */
const API_BYTES_MAX = 50_000;

describe("2,000 endpoints", () => {
  let address: string;
  let service: string;
  beforeAll(async () => {
    const run = await ui.scan(scanPayload({ serviceName: "large", endpoints: 2000, findings: 500 }));
    address = `/scan-runs/${run.scanRunId}`;
    service = `/services/${run.serviceId}`;
  });

  it("are requested once, the first of them before the others, compressed, and not by tabs that don't show them", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    let calls: string[] = [];
    page.on("request", (request) => {
      const [, api, ...path] = new URL(request.url()).pathname.split("/");
      if (api === "api") calls.push(path.at(-1)?.includes("-7") === true ? "by id" : (path.at(-1) ?? ""));
      if (request.url().includes("cursor=")) calls.push(`${calls.pop()}, others`);
    });
    const callsOf = async (path: string, shown: readonly string[], loaded?: () => Promise<unknown>) => {
      calls = [];
      await page.goto(path);
      for (const text of shown) await page.getByText(text).first().waitFor();
      await loaded?.();
      expect(await page.evaluate(SENT_PLAIN)).toEqual([]);
      expect(await page.evaluate(API_BYTES)).toBeLessThan(API_BYTES_MAX);
      return calls.toSorted();
    };
    // The run, its service, which says whether the run is current, and the key that submitted it.
    const head = ["broken-journeys", "by id", "by id", "by id", "session"];
    const changes = "Changes";
    let others = page.waitForResponse(OTHER_ENDPOINTS);
    const othersLoaded = async () => (await others).finished();
    expect(await callsOf(service, ["2,000 of 2,000"], othersLoaded)).toEqual([
      "by id",
      "endpoints",
      "endpoints, others",
      "scan-runs",
      "session",
    ]);
    others = page.waitForResponse(OTHER_ENDPOINTS);
    expect(await callsOf(`${address}?tab=endpoints`, ["2,000 of 2,000", changes], othersLoaded)).toEqual(
      [...head, "endpoints", "endpoints, others", "findings"].toSorted(),
    );
    expect(await callsOf(`${address}?tab=findings`, ["500 of 500", changes])).toEqual(
      [...head, "findings"].toSorted(),
    );
    // The names of keys and the comments are for the timeline.
    expect(await callsOf(address, ["This is the first scan of large", "First key", changes])).toEqual(
      [...head, "changes", "api-keys", "comments"].toSorted(),
    );
    expect(opened.complaints).toEqual([]);
  });

  it("are rendered only while visible, and a link keeps filters and order", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`${address}?tab=endpoints`);
    await page.getByText("2,000 of 2,000").waitFor();
    expect(await page.getByRole("row").count()).toBeLessThan(80);
    await page.getByLabel("Search").fill("/v1/things/77");
    await page.getByText("11 of 2,000").waitFor();
    await choose(page, "Method", "OPTIONS");
    await page.getByRole("button", { name: "Path" }).click();
    await page.locator("[aria-sort=ascending]").getByText("Path").waitFor();
    await page.getByRole("button", { name: "Path" }).click();
    await page.locator("[aria-sort=descending]").getByText("Path").waitFor();
    const shown = await page.getByRole("row").nth(1).textContent();
    await page.reload();
    await expect.poll(() => page.getByRole("row").nth(1).textContent()).toBe(shown);
    const kept = () => Object.fromEntries(new URL(page.url()).searchParams);
    await expect.poll(kept).toEqual({
      tab: "endpoints",
      q: "/v1/things/77",
      method: "OPTIONS",
      sort: "-path",
    });
    expect(opened.complaints).toEqual([]);
  });

  it("have a note if the findings reached their limit, and so has the head of the run", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(address);
    await page.getByText("About this scan", { exact: true }).click();
    await page.getByText("Limit reached: there may be more.").waitFor();
    await page.getByRole("tab", { name: /Findings/ }).click();
    await page.getByRole("note").getByText("There may be more").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("are printed, all of them", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    const others = page.waitForResponse(OTHER_ENDPOINTS);
    await page.goto(`${address}?tab=endpoints`);
    await page.getByText("2,000 of 2,000").waitFor();
    await (await others).finished();
    await page.emulateMedia({ media: "print" });
    const printed = await page.evaluate(`(() => {
      dispatchEvent(new Event("beforeprint"));
      const table = document.querySelector("[role=table]");
      return { rows: table.querySelectorAll("[role=row]").length, isWhole: table.parentElement.clientHeight >= 2000 * 20 };
    })()`);
    expect(printed).toEqual({ rows: 2001, isWhole: true });
    await page.emulateMedia({ media: "screen" });
    await page.evaluate(`dispatchEvent(new Event("afterprint"))`);
    await expect.poll(() => page.getByRole("row").count()).toBeLessThan(80);
  });

  it("are filtered, sorted and scrolled with what is visible put into the page, and no more", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`${address}?tab=endpoints`);
    await page.getByText("2,000 of 2,000").waitFor();
    await page.evaluate(COUNT_ADDED);
    const added: Record<string, number> = {};
    await eachInteraction(page, async (name, interact) => {
      const before = await page.evaluate<number>("addedElements");
      await interact();
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");
      added[name] = (await page.evaluate<number>("addedElements")) - before;
    });
    expect(Object.entries(added).filter(([, elements]) => elements > ADDED_MAX)).toEqual([]);
    // Checks the count: all rows, as they are printed, are more than that.
    await page.evaluate(`window.addedElements = 0; dispatchEvent(new Event("beforeprint"))`);
    await expect.poll(() => page.evaluate<number>("addedElements")).toBeGreaterThan(ADDED_MAX);
    expect(opened.complaints).toEqual([]);
  });
});

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole("combobox", { name: label }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
}
