import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { query } from "@waymark/test-support/sql.ts";

let ui: TestConsole;
let serviceId: string;
beforeAll(async () => {
  ui = await startConsole();
  ({ serviceId } = await ui.scan(scanPayload({ serviceName: "framed", endpoints: 3 })));
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true });
const dialog = (page: Page, name: string) => page.getByRole("dialog", { name });
const search = (page: Page) => page.getByRole("textbox", { name: "Search" });

async function openServices(page: Page): Promise<void> {
  await page.goto("/services");
  await page.getByRole("link", { name: "framed" }).waitFor();
}

describe("shortcuts of one key", () => {
  it("move the focus to the search of each page that has one, and open the list of pages elsewhere", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    for (const path of ["/services", `/services/${serviceId}`, "/endpoints", "/findings", "/api-keys"]) {
      await page.goto(path);
      await search(page).waitFor();
      await page.keyboard.press("/");
      await search(page).and(page.locator(":focus")).waitFor();
      // In the field, it is a character.
      await page.keyboard.press("/");
      await expect.poll(() => search(page).inputValue()).toBe("/");
    }
    await page.goto("/limits");
    await heading(page, "Limits and usage").waitFor();
    await page.keyboard.press("/");
    await dialog(page, "Go to").getByRole("combobox").and(page.locator(":focus")).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("list all shortcuts, and can be switched off there, also after a reload", async () => {
    await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
    const { page } = opened;
    await openServices(page);
    await page.keyboard.press("?");
    const shortcuts = dialog(page, "Keyboard shortcuts");
    await shortcuts.getByRole("row").filter({ hasText: "Move the focused step" }).waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await shortcuts.getByRole("checkbox", { name: "Use the shortcuts of one key" }).uncheck();
    await page.keyboard.press("Escape");
    await shortcuts.waitFor({ state: "detached" });
    await openServices(page);
    for (const key of ["?", "/"]) await page.keyboard.press(key);
    // It opens after whatever the keys before would have opened.
    await page.keyboard.press("ControlOrMeta+k");
    await dialog(page, "Go to").getByRole("combobox").and(page.locator(":focus")).waitFor();
    expect(await page.getByRole("dialog").count()).toBe(1);
    await dialog(page, "Go to").getByRole("button", { name: "Keyboard shortcuts" }).click();
    await shortcuts.getByRole("checkbox", { name: "Use the shortcuts of one key" }).check();
    await page.keyboard.press("Escape");
    await shortcuts.waitFor({ state: "detached" });
    await page.keyboard.press("?");
    await shortcuts.waitFor();
    expect(opened.complaints).toEqual([]);
  });
});

it("finding things by name says so if a list could not be loaded, and not that nothing has the name", async () => {
  await using opened = await ui.open();
  const { page } = opened;
  await page.route("**/api/teams", (route) => route.fulfill({ status: 400, json: {} }));
  await openServices(page);
  await page.keyboard.press("ControlOrMeta+k");
  const found = dialog(page, "Go to");
  await found.getByRole("combobox").fill("no such name");
  await found.getByText("Not everything could be searched: there may be more.").waitFor();
  expect(await found.getByText("Nothing has these words.").count()).toBe(0);
});

describe("every page", () => {
  it("names the organization and the key of the session, also on a phone", async () => {
    for (const viewport of [
      { width: 1200, height: 760 },
      { width: 390, height: 760 },
    ]) {
      await using opened = await ui.open({ context: { viewport } });
      const { page } = opened;
      const { body } = await ui.stack.http.get<{ organizationName: string }>("/api/session");
      await openServices(page);
      const header = page.getByRole("banner");
      await header.getByText(body.organizationName, { exact: true }).waitFor();
      await header.getByText("First key", { exact: true }).waitFor();
      expect(opened.complaints).toEqual([]);
    }
  });

  it("shows its section in the header of a phone, where not all sections fit", async () => {
    await using opened = await ui.open({ context: { viewport: { width: 390, height: 760 } } });
    const { page } = opened;
    const sections = page.getByRole("navigation", { name: "Sections" });
    const isInside = async (name: string) => {
      const { x = 0, width = 0 } = (await sections.getByRole("link", { name }).boundingBox()) ?? {};
      return x >= 0 && x + width <= 390;
    };
    await page.goto("/limits");
    await heading(page, "Limits and usage").waitFor();
    await expect.poll(() => isInside("API keys")).toBe(true);
    expect(await isInside("Overview")).toBe(false);
    await page.getByRole("link", { name: "Waymark" }).click();
    await heading(page, "Overview").waitFor();
    await expect.poll(() => isInside("Overview")).toBe(true);
    expect(opened.complaints).toEqual([]);
  });

  it("has the buttons of a phone's header in one line, also in a font that is wider than its own", async () => {
    await using opened = await ui.open({ context: { viewport: { width: 390, height: 800 } } });
    const { page } = opened;
    await openServices(page);
    await page.evaluate('document.documentElement.style.letterSpacing = "0.12em"');
    const places = await Promise.all(
      [page.getByRole("link", { name: "Waymark" }), page.getByRole("button", { name: "Sign out" })].map(
        (one) => one.boundingBox(),
      ),
    );
    const [brand, button] = places.map((box) => (box?.y ?? Number.NaN) + (box?.height ?? 0) / 2);
    expect(Math.abs((brand ?? Number.NaN) - (button ?? 0))).toBeLessThan(5);
  });

  it("has the exact time and its zone behind each time that it says in words", async () => {
    const days = "UPDATE services SET created_at = now() - interval '3 days' WHERE id = $1";
    await query(ui.stack, days, [serviceId]);
    await using opened = await ui.open({ context: { locale: "en-GB", timezoneId: "Asia/Tokyo" } });
    const { page } = opened;
    await page.goto("/");
    const time = page.getByRole("row").filter({ hasText: "New service" }).getByText("3 days ago");
    await time.waitFor();
    const at = Date.parse((await time.getAttribute("datetime")) ?? "");
    const [hour, rest] = new Date(at + 9 * 3600 * 1000).toISOString().slice(11, 19).split(/:(.*)/);
    const title = await time.getAttribute("title");
    expect(title).toMatch(/^\d+ \w+ \d{4}, /);
    expect(title?.split(", ")[1]).toBe(`${Number(hour)}:${rest} GMT+9`);
    expect(opened.complaints).toEqual([]);
  });

  it("is shown from its top, with the focus in it, and again where it was after Back", async () => {
    for (let index = 0; index < 40; index++)
      await ui.scan(scanPayload({ serviceName: `tall ${index}`, endpoints: 1, findings: 0 }));
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto("/services?sort=name");
    const last = page.getByRole("link", { name: "tall 9", exact: true });
    await last.waitFor();
    await page.getByRole("link", { name: "Search all endpoints" }).click();
    await search(page).fill("things");
    await page.getByText("43 endpoints", { exact: true }).waitFor();
    await page.evaluate("scrollTo(0, document.body.scrollHeight)");
    const scrolled = await page.evaluate<number>("scrollY");
    expect(scrolled).toBeGreaterThan(300);
    // Where each frame that shows the new page is scrolled to. It is as long, and its data are there.
    await page.evaluate(`{
      window.tops = [];
      const look = () => {
        if (location.pathname === "/services") tops.push(scrollY);
        if (tops.length < 5) requestAnimationFrame(look);
      };
      look();
    }`);
    await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Services" }).click();
    await last.waitFor();
    await expect.poll(() => page.evaluate("tops")).toEqual([0, 0, 0, 0, 0]);
    expect(await page.evaluate("document.activeElement.id")).toBe("main");
    await page.goBack();
    await page.getByText("43 endpoints", { exact: true }).waitFor();
    await expect.poll(() => page.evaluate("scrollY")).toBe(scrolled);
    expect(opened.complaints).toEqual([]);
  });
});
