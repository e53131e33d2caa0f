import type { Browser, BrowserContext, CDPSession } from "playwright-core";
import { OBSERVE_SHIFTS, type PageCase } from "@waymark/test-support/console-pages.ts";
import { eachInteraction } from "@waymark/test-support/table-interactions.ts";

/** A network as the browser imitates it: each response waits, and both ways have a rate. */
export interface Network {
  name: string;
  latencyMs: number;
  /** Bits per second; null for no limit. */
  rate: number | null;
}

export const NETWORKS = [
  { name: "150 ms, 1.6 Mbit/s", latencyMs: 150, rate: 1_600_000 },
  { name: "not shaped", latencyMs: 0, rate: null },
] as const satisfies readonly Network[];

export interface SignedIn {
  browser: Browser;
  baseUrl: string;
  /** The state of a context that has signed in. */
  state: Awaited<ReturnType<BrowserContext["storageState"]>>;
}

export interface Visit {
  /** From the start of the navigation until everything in the window is there, and nothing of it changes any more. */
  readyMs: number;
  /** Until nothing of the whole document changes any more, also of what lies below the window. */
  wholeMs: number;
  /** Bytes transferred of all responses until the whole document is there. */
  bytes: number;
  /** Requests to the API until then. */
  calls: number;
  /** The sum of layout shifts, also those that come half a second later. */
  shifted: number;
  /** The addresses of the console's own files that were loaded. */
  files: string[];
}

const LATE_SHIFTS_MS = 500;

/**
 * Runs in the page before its own code: keeps when the last change of the page was painted. Playwright's waiting looks at the page
 * only every half second, and would find it ready up to that much later.
 */
const OBSERVE_CHANGES = `
  window.changedMs = 0;
  window.windowChangedMs = 0;
  const isInWindow = (node) => {
    const { top, bottom, width } = (node instanceof Element ? node : node.parentElement)?.getBoundingClientRect() ?? { width: 0 };
    return width > 0 && bottom > 0 && top < innerHeight;
  };
  const changedBy = ({ target, addedNodes, removedNodes }) => [...addedNodes, ...(addedNodes.length > removedNodes.length ? [] : [target])];
  // A text that is written again as it was changes nothing.
  const isChange = ({ type, oldValue, target }) => type !== "characterData" || oldValue !== target.data;
  const painted = (nodes) => {
    if (nodes.length === 0) return;
    changedMs = performance.now();
    if (nodes.some(isInWindow)) windowChangedMs = changedMs;
  };
  new MutationObserver((records) => requestAnimationFrame(() => setTimeout(painted, 0, records.filter(isChange).flatMap(changedBy))))
    .observe(document, { subtree: true, childList: true, characterDataOldValue: true, attributes: true });`;

/** Opens a page with an empty cache and a session. */
export async function visitPage(
  { browser, baseUrl, state }: SignedIn,
  { path, ready }: PageCase,
  network: Network,
): Promise<Visit> {
  const context = await browser.newContext({ baseURL: baseUrl, storageState: state });
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await shape(session, network);
    const transferred = countBytes(session);
    const urls: string[] = [];
    page.on("request", (request) => urls.push(request.url()));
    await page.addInitScript(`${OBSERVE_SHIFTS}${OBSERVE_CHANGES}`);
    await page.goto(path, { waitUntil: "commit" });
    await ready(page);
    const readyMs = await page.evaluate<number>("windowChangedMs");
    const wholeMs = await page.evaluate<number>("changedMs");
    const bytes = transferred();
    const [calls, files] = [urls.filter(isCall).length, urls.filter((url) => !isCall(url))];
    await page.waitForTimeout(LATE_SHIFTS_MS);
    const shifted = await page.evaluate<number>("window.shifted");
    return { readyMs, wholeMs, bytes, calls, shifted, files };
  } finally {
    await context.close();
  }
}

async function shape(session: CDPSession, { latencyMs, rate }: Network): Promise<void> {
  await session.send("Network.enable");
  if (rate === null) return;
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: latencyMs,
    downloadThroughput: rate / 8,
    uploadThroughput: rate / 8,
  });
}

function countBytes(session: CDPSession): () => number {
  let bytes = 0;
  session.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
  return () => bytes;
}

function isCall(url: string): boolean {
  return new URL(url).pathname.startsWith("/api/");
}

const ROWS_A_FRAME = 8;

/** Frames per second while the table of a page is scrolled from its first row to its last. */
export async function scrollTable(
  { browser, baseUrl, state }: SignedIn,
  { path, ready }: PageCase,
): Promise<number> {
  const context = await browser.newContext({ baseURL: baseUrl, storageState: state });
  try {
    const page = await context.newPage();
    await page.goto(path);
    await ready(page);
    // As text, because it runs in the page.
    return await page.evaluate<number>(`new Promise((done) => {
      const region = document.querySelector("main [role=region]");
      const rowHeight = region.querySelectorAll("[role=row]")[1].getBoundingClientRect().height;
      let first = 0;
      let frames = -1;
      const step = (now) => {
        frames++;
        if (frames === 0) first = now;
        const before = region.scrollTop;
        region.scrollTo(0, before + rowHeight * ${ROWS_A_FRAME});
        if (region.scrollTop > before) requestAnimationFrame(step);
        else done((frames * 1000) / (now - first));
      };
      requestAnimationFrame(step);
    })`);
  } finally {
    await context.close();
  }
}

/**
 * Milliseconds of processor time that the main thread spends on the slowest interaction with the table of a page: scripts,
 * styles, layout and painting. The best of three of each, because code is still being compiled the first time.
 */
export async function workOfInteractions(
  { browser, baseUrl, state }: SignedIn,
  { path, ready }: PageCase,
): Promise<number> {
  const context = await browser.newContext({ baseURL: baseUrl, storageState: state });
  try {
    const page = await context.newPage();
    await page.goto(path);
    await ready(page);
    const session = await context.newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const least: Record<string, number> = {};
    for (let round = 0; round < 3; round++) {
      await eachInteraction(page, async (name, interact) => {
        const before = await taskMs(session);
        await interact();
        await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");
        least[name] = Math.min(least[name] ?? Infinity, (await taskMs(session)) - before);
      });
    }
    return Math.max(...Object.values(least));
  } finally {
    await context.close();
  }
}

async function taskMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  const seconds = metrics.find(({ name }) => name === "TaskDuration")?.value;
  if (seconds === undefined) throw new Error("the browser does not tell TaskDuration");
  return seconds * 1000;
}
