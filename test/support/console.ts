import type { AxeBuilder } from "@axe-core/playwright";
import type { Browser, BrowserContextOptions, CDPSession, Page } from "playwright-core";
import type { ScanIngestionPayload, ScanIngestionResult } from "@waymark/shared/scans/schema.ts";
import { launchBrowser } from "./browser.ts";
import { ingest, waitForRun } from "./scans.ts";
import { type Stack, type StackOptions, startStack } from "./stack.ts";

/** Generous: what is waited for arrives at once on an idle machine, and late on a busy one. */
const SHOWN_MS = 100_000;

export interface OpenPage extends AsyncDisposable {
  page: Page;
  /** What the page complained about: errors, and violations of its own content security policy. */
  complaints: string[];
}

export interface TestConsole extends AsyncDisposable {
  stack: Stack;
  browser: Browser;
  /** A browser window of its own. `as` is the key that it is signed in with, null for nobody; default: the first key. */
  open(options?: { as?: string | null; context?: BrowserContextOptions }): Promise<OpenPage>;
  /** Submits a scan and waits until it is stored. */
  scan(payload: ScanIngestionPayload): Promise<ScanIngestionResult>;
}

/** The whole of Waymark and a real browser to look at it with. */
export async function startConsole(stackOptions: StackOptions = {}): Promise<TestConsole> {
  const started = new AsyncDisposableStack();
  const parts = [
    startStack(stackOptions).then((stack) => started.use(stack)),
    launchBrowser().then((launched) => {
      started.defer(() => launched.close());
      return launched;
    }),
  ] as const;
  // What still starts when the other one fails must be there to be ended, too.
  await Promise.allSettled(parts);
  try {
    const [stack, browser] = await Promise.all(parts);
    return {
      stack,
      browser,
      open: (options = {}) => openPage({ stack, browser }, options),
      scan: async (payload) => {
        const { body } = await ingest(stack, payload);
        await waitForRun(stack, body.scanRunId);
        return body;
      },
      [Symbol.asyncDispose]: () => started.disposeAsync(),
    };
  } catch (error) {
    await started.disposeAsync();
    throw error;
  }
}

async function openPage(
  { stack, browser }: { stack: Stack; browser: Browser },
  options: { as?: string | null; context?: BrowserContextOptions },
): Promise<OpenPage> {
  const context = await browser.newContext({ baseURL: stack.api.baseUrl, ...options.context });
  context.setDefaultTimeout(SHOWN_MS);
  const apiKey = options.as === undefined ? stack.apiKey : options.as;
  if (apiKey !== null) {
    // The answer's cookie is the context's own; the page's way of signing in has its own tests.
    const answer = await context.request.post("/api/session", { data: { apiKey } });
    if (!answer.ok())
      throw new Error(`signing in was answered with ${answer.status()}: ${await answer.text()}`);
  }
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().includes("Failed to load resource"))
      complaints.push(message.text());
  });
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}

const WCAG_22_AA = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"];
const OF_COLOURS = ["color-contrast", "link-in-text-block"];

/** What axe finds against WCAG 2.2 AA, a line per rule. In a page's second colour scheme only the colours are new. */
export async function violationsOf(builder: AxeBuilder, { coloursOnly = false } = {}): Promise<string[]> {
  builder.options({ resultTypes: ["violations"] });
  if (coloursOnly) builder.withRules(OF_COLOURS);
  else builder.withTags(WCAG_22_AA);
  // Without frames there is nothing to put together in a page of its own.
  const { violations } = await builder.setLegacyMode().analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`);
}

export interface MainThread {
  /** Milliseconds of processor time that the page's main thread spends until the outcome of an action is painted. */
  cpuMs: (action: () => Promise<unknown>) => Promise<number>;
}

/**
 * The work of the page's main thread: scripts, styles, layout, painting. In processor time, which other processes on a
 * busy machine don't add to, as they do to the time on the clock.
 */
export async function mainThreadOf(page: Page): Promise<MainThread> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return {
    async cpuMs(action) {
      const before = await taskMs(session);
      await action();
      // As text: it is the page's code, not the test's.
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");
      return (await taskMs(session)) - before;
    },
  };
}

async function taskMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  const seconds = metrics.find(({ name }) => name === "TaskDuration")?.value;
  if (seconds === undefined) throw new Error("the browser does not tell TaskDuration");
  return seconds * 1000;
}
