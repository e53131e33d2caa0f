// `npm run screenshots`: takes the pictures of docs/screenshots again (or those of the folder in WAYMARK_SCREENSHOTS),
// of the real system with data of its own. With WAYMARK_PICTURES=service,phone-service it takes only these.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { root } from "../../../scripts/bootstrap/checkout.mjs";
import { NOW } from "./demo-dates.ts";
import { startDemoSystem } from "./demo-system.ts";
import { toPalettePng } from "./palette-png.ts";
import { type Picture, picturesOf } from "./pictures.ts";

const VIEWPORTS = { wide: { width: 1200, height: 760 }, phone: { width: 390, height: 760 } } as const;
const BYTES_MIN = 4_000;

test("the pictures of the console", async () => {
  const folder = path.resolve(root, process.env["WAYMARK_SCREENSHOTS"] ?? "docs/screenshots");
  const only = process.env["WAYMARK_PICTURES"]?.split(",");
  mkdirSync(folder, { recursive: true });
  const { console, pages } = await startDemoSystem();
  onTestFinished(() => console[Symbol.asyncDispose]());
  const keys = {
    nobody: null,
    newcomer: pages.newcomerKey,
    person: pages.personKey,
    member: console.stack.apiKey,
  };
  const pictures = picturesOf(pages).filter(({ name }) => only?.includes(name) !== false);
  // A window for each kind of them: a new one takes a second, and then compiles the console anew.
  const windows = Map.groupBy(pictures, ({ size, as = "member" }) => `${size} ${as}`);
  for (const colorScheme of ["light", "dark"] as const) {
    for (const ofWindow of windows.values()) {
      const [{ size, as = "member" } = { size: "wide" as const }] = ofWindow;
      const context = {
        colorScheme,
        reducedMotion: "reduce",
        locale: "en-GB",
        timezoneId: "UTC",
        viewport: VIEWPORTS[size],
        // Scroll bars that take no room: none are in the pictures.
        isMobile: true,
      } as const;
      await using opened = await console.open({ as: keys[as], context, isNew: true });
      // For ages, as in "2 days ago"; timers still run.
      await opened.page.clock.setFixedTime(NOW);
      await waitForFont(opened.page);
      for (const picture of ofWindow) {
        const png = await take(opened.page, picture);
        expect(png.length).toBeGreaterThan(BYTES_MIN);
        writeFileSync(path.join(folder, `${picture.name}-${colorScheme}.png`), png);
      }
    }
  }
});

/** A page does without its font if it comes late: then a picture would show another one, by chance. */
async function waitForFont(page: Page): Promise<void> {
  await page.context().route("**/assets/*.css", async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replaceAll("font-display:optional", "font-display:block");
    await route.fulfill({ status: 200, contentType: "text/css", body });
  });
}

async function take(page: Page, picture: Picture): Promise<Buffer> {
  await page.goto(picture.path);
  await picture.ready(page);
  await page.waitForLoadState("networkidle");
  await page.evaluate("document.fonts.ready");
  const png = await page.screenshot({ animations: "disabled", caret: "hide" });
  await page.unrouteAll({ behavior: "ignoreErrors" });
  return toPalettePng(png);
}
