import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";

/** Generous: pages appear immediately on an idle machine, and late on a busy one. */
const SHOWN_MS = 100_000;

export interface BrowserWindow {
  context: BrowserContext;
  page: Page;
}

export interface BrowserWindows extends AsyncDisposable {
  open(options: BrowserContextOptions): Promise<BrowserWindow>;
  /** An empty window of these options: one that was given back, or a new one. */
  take(options: BrowserContextOptions): Promise<BrowserWindow>;
  giveBack(window: BrowserWindow, options: BrowserContextOptions): Promise<void>;
}

/**
 * Browser windows that tests use one after another. A new one takes a second of processor time, and then compiles the console anew.
 * Nothing of a test is left in it but the browser's cache of files, which have content hashes in their names.
 */
export function createWindows(browser: Browser, baseURL: string): BrowserWindows {
  const idle = new Map<string, BrowserWindow[]>();
  const ofKind = (options: BrowserContextOptions) => {
    const kind = JSON.stringify(options);
    const windows = idle.get(kind) ?? [];
    idle.set(kind, windows);
    return windows;
  };
  const open = (options: BrowserContextOptions) => openWindow(browser, { baseURL, ...options });
  return {
    open,
    take: async (options) => ofKind(options).pop() ?? (await open(options)),
    giveBack: async (window, options) => {
      if (await isEmptied(window, { baseURL, ...options })) ofKind(options).push(window);
      else await window.context.close();
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...idle.values()].flat().map(({ context }) => context.close()));
    },
  };
}

async function openWindow(browser: Browser, options: BrowserContextOptions): Promise<BrowserWindow> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(SHOWN_MS);
  return { context, page: await context.newPage() };
}

/** @returns false if the window is of no more use, such as after a test that failed */
async function isEmptied(
  { context, page }: BrowserWindow,
  { baseURL: origin = "", colorScheme = "light", reducedMotion = "no-preference" }: BrowserContextOptions,
): Promise<boolean> {
  if (page.isClosed() || context.pages().length > 1) return false;
  try {
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.goto("about:blank");
    await page.emulateMedia({ media: null, colorScheme, reducedMotion });
    await page.mouse.move(0, 0);
    await context.clearCookies();
    // Not by a script of the page, which keeps drafts when it is left.
    const session = await context.newCDPSession(page);
    await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "local_storage" });
    await session.detach();
    return true;
  } catch {
    return false;
  }
}
