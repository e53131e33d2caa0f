import axe from "axe-core";
import type { BrowserContextOptions, ConsoleMessage, Page } from "playwright-core";
import type { ScanIngestionPayload, ScanIngestionResult } from "@waymark/shared/scans/schema.ts";
import { sharedBrowser } from "./browser.ts";
import { type BrowserWindows, createWindows } from "./browser-windows.ts";
import { ingest, waitForRun } from "./scans.ts";
import { type Stack, type StackOptions, startStack } from "./stack.ts";

export interface OpenPage extends AsyncDisposable {
  page: Page;
  /** The page's errors, and violations of its content security policy. */
  complaints: string[];
}

export interface TestConsole extends AsyncDisposable {
  stack: Stack;
  /** A separate browser window. */
  open(options?: OpenOptions): Promise<OpenPage>;
  /** Submits a scan and waits until it is stored. */
  scan(payload: ScanIngestionPayload): Promise<ScanIngestionResult>;
}

/** All of Waymark and a real browser. `start` is `startProcessStack` for an api that reads its certificates when it starts. */
export async function startConsole(
  stackOptions: StackOptions = {},
  start: (options: StackOptions) => Promise<Stack> = startStack,
): Promise<TestConsole> {
  const browser = await sharedBrowser();
  const stack = await start(stackOptions);
  const windows = createWindows(browser, stack.api.baseUrl);
  return {
    stack,
    open: (options = {}) => openPage({ stack, windows }, options),
    scan: async (payload) => {
      const { body } = await ingest(stack, payload);
      await waitForRun(stack, body.scanRunId);
      return body;
    },
    async [Symbol.asyncDispose]() {
      await windows[Symbol.asyncDispose]();
      await stack[Symbol.asyncDispose]();
    },
  };
}

interface OpenOptions {
  /** The key to sign in with; null for none; default: the first key. */
  as?: string | null;
  context?: BrowserContextOptions;
  /** Opens a new window with an empty cache, for tests that change its clock, its scripts or its cache. */
  isNew?: boolean;
}

async function openPage(
  { stack, windows }: { stack: Stack; windows: BrowserWindows },
  { as: apiKey = stack.apiKey, context: options = {}, isNew = false }: OpenOptions,
): Promise<OpenPage> {
  const window = await (isNew ? windows.open(options) : windows.take(options));
  const { context, page } = window;
  if (apiKey !== null) {
    // The cookie of the response belongs to the context. Signing in on the page has its own tests.
    const answer = await context.request.post("/api/session", { data: { apiKey } });
    if (!answer.ok())
      throw new Error(`signing in was answered with ${answer.status()}: ${await answer.text()}`);
  }
  const complaints: string[] = [];
  const onError = (error: Error) => complaints.push(String(error));
  const onMessage = (message: ConsoleMessage) => {
    if (message.type() === "error" && !message.text().includes("Failed to load resource"))
      complaints.push(message.text());
  };
  page.on("pageerror", onError);
  page.on("console", onMessage);
  return {
    page,
    complaints,
    async [Symbol.asyncDispose]() {
      page.off("pageerror", onError);
      page.off("console", onMessage);
      await (isNew ? context.close() : windows.giveBack(window, options));
    },
  };
}

/** The tags of axe's rules for WCAG 2.2 AA: the criteria of each version and level have a tag of their own. */
export const WCAG_22_AA = {
  type: "tag",
  values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"],
};
const OF_COLOURS = { type: "rule", values: ["color-contrast", "link-in-text-block"] };

/** Text, because it runs in the page. */
const UNTIL_STILL = `(async () => {
  const isMoving = ({ playState, effect }) => playState === "running" && effect.getComputedTiming().iterations !== Infinity;
  for (let still = 0; still < 5; still = document.getAnimations().some(isMoving) ? 0 : still + 1)
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
})()`;

/** Waits until nothing has moved for some frames: a dialog that appears is still transparent. */
export async function untilStill(page: Page): Promise<void> {
  await page.evaluate(UNTIL_STILL);
}

/** The violations of WCAG 2.2 AA that axe finds, one line per rule. In the second colour scheme, only colours are checked. */
async function violationsOf(page: Page, { coloursOnly }: { coloursOnly: boolean }): Promise<string[]> {
  const options = { resultTypes: ["violations"], runOnly: coloursOnly ? OF_COLOURS : WCAG_22_AA };
  await untilStill(page);
  return page.evaluate<string[]>(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" | ")))`);
}

/** Everything on the page that axe finds in the light and the dark scheme. */
export async function violationsInBothSchemes(page: Page): Promise<string[]> {
  const found: string[] = [];
  // How far a click has scrolled is chance, and axe finds an element too small if the header covers half of it.
  await page.evaluate("scrollTo({ top: 0, behavior: 'instant' })");
  // Once for each document: it is 1.5 MB of code.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(`${axe.source};undefined`);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
    const lines = await violationsOf(page, { coloursOnly: colorScheme === "dark" });
    found.push(...lines.map((line) => `${colorScheme}: ${line}`));
  }
  return found;
}
