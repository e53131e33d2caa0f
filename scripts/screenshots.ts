// `npm run screenshots [-- FOLDER]`: takes the pictures of docs/screenshots again, of the real system with data of its own.
import { mkdirSync, statSync } from "node:fs";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "@waymark/test-support/browser.ts";
import { root } from "./bootstrap/checkout.mjs";
import { type DemoSystem, startDemoSystem } from "./screenshots/demo-system.ts";
import { type Picture, picturesOf } from "./screenshots/pictures.ts";

const SCHEMES = ["light", "dark"] as const;
const SIZES = { wide: { width: 1200, height: 760 }, phone: { width: 390, height: 760 } } as const;
const SHOWN_MS = 60_000;

const folder = path.resolve(root, process.argv[2] ?? "docs/screenshots");
mkdirSync(folder, { recursive: true });
const system = await startDemoSystem();
try {
  const browser = await launchBrowser();
  try {
    for (const scheme of SCHEMES) {
      await takePictures(browser, { scheme, size: "wide" });
      await takePictures(browser, { scheme, size: "phone" });
    }
  } finally {
    await browser.close();
  }
} finally {
  await system[Symbol.asyncDispose]();
}

async function takePictures(
  browser: Browser,
  { scheme, size }: { scheme: (typeof SCHEMES)[number]; size: keyof typeof SIZES },
): Promise<void> {
  const context = await browser.newContext({
    baseURL: system.baseUrl,
    colorScheme: scheme,
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "UTC",
    viewport: SIZES[size],
    // Scroll bars that take no room: none are in the pictures.
    isMobile: true,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(SHOWN_MS);
  for (const picture of picturesOf(system.pages).filter((one) => one.size === size)) {
    await show(page, picture, system);
    const file = path.join(folder, `${picture.name}-${scheme}.png`);
    await page.screenshot({ path: file, animations: "disabled", caret: "hide" });
    console.log(`${path.relative(root, file)}  ${Math.ceil(statSync(file).size / 1024)} kB`);
  }
  await context.close();
}

async function show(page: Page, picture: Picture, { apiKey }: DemoSystem): Promise<void> {
  await page.goto(picture.path);
  if (picture.signedOut !== true) await signInOnce(page, apiKey);
  await picture.ready(page);
  // Where signing in has left the pointer, something would look pointed at.
  await page.mouse.move(0, 0);
  await page.waitForLoadState("networkidle");
}

async function signInOnce(page: Page, apiKey: string): Promise<void> {
  const field = page.getByLabel("API key", { exact: true });
  const signOut = page.getByRole("button", { name: "Sign out" });
  await field.or(signOut).first().waitFor();
  if (await signOut.isVisible()) return;
  await field.fill(apiKey);
  await page.getByRole("button", { name: "Sign in" }).click();
  await signOut.waitFor();
}
