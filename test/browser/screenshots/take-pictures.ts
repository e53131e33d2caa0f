// `npm run screenshots`: takes the pictures of docs/screenshots again (or those of the folder in WAYMARK_SCREENSHOTS),
// of the real system with data of its own.
import { mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { root } from "../../../scripts/bootstrap/checkout.mjs";
import { NOW } from "./demo-dates.ts";
import { startDemoSystem } from "./demo-system.ts";
import { picturesOf } from "./pictures.ts";

const SIZES = { wide: { width: 1200, height: 760 }, phone: { width: 390, height: 760 } } as const;
const BYTES_MIN = 5_000;

test("the pictures of the console", async () => {
  const folder = path.resolve(root, process.env["WAYMARK_SCREENSHOTS"] ?? "docs/screenshots");
  mkdirSync(folder, { recursive: true });
  const { console, pages } = await startDemoSystem();
  onTestFinished(() => console[Symbol.asyncDispose]());
  for (const colorScheme of ["light", "dark"] as const) {
    for (const picture of picturesOf(pages)) {
      const context = {
        colorScheme,
        reducedMotion: "reduce",
        locale: "en-GB",
        timezoneId: "UTC",
        viewport: SIZES[picture.size],
        // Scroll bars that take no room: none are in the pictures.
        isMobile: true,
      } as const;
      const as = picture.signedOut === true ? { as: null } : {};
      // A new one for each, because its clock is set.
      const opened = await console.open({ ...as, context, isNew: true });
      const { page } = opened;
      // For ages, as in "2 days ago"; timers still run.
      await page.clock.setFixedTime(NOW);
      await page.goto(picture.path);
      await picture.ready(page);
      await page.waitForLoadState("networkidle");
      const file = path.join(folder, `${picture.name}-${colorScheme}.png`);
      await page.screenshot({ path: file, animations: "disabled", caret: "hide" });
      expect(statSync(file).size).toBeGreaterThan(BYTES_MIN);
      await opened[Symbol.asyncDispose]();
    }
  }
});
