import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { createJourneyPages } from "@waymark/test-support/console-pages.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";

/** More than any page has between two of these stops. */
const STOPS_MAX = 60;

let ui: TestConsole;
beforeAll(async () => {
  ui = await startConsole();
  const scanned = { serviceName: "touring", findings: 2 };
  await ui.scan(scanPayload({ ...scanned, endpoints: 3 }));
  await ui.scan(scanPayload({ ...scanned, endpoints: 4 }));
  await createJourneyPages(ui.stack);
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

/** Presses Tab until the element has the focus, and checks that one sees it. */
async function tabTo(page: Page, element: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  await element.first().waitFor();
  const passed: string[] = [];
  for (let stops = 0; stops < STOPS_MAX; stops++) {
    await page.keyboard.press(key);
    if ((await element.and(page.locator(":focus")).count()) > 0) return expectVisibleFocus(page);
    passed.push(await page.evaluate<string>("document.activeElement.outerHTML.slice(0, 80)"));
  }
  throw new Error(`${key} never came to ${String(element)}, but to:\n${passed.join("\n")}`);
}

/** Fields show the focus with their border; everything else has an outline. */
async function expectVisibleFocus(page: Page): Promise<void> {
  const isVisible = await page.evaluate<boolean>(`(() => {
    const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
    return document.activeElement.matches("input, textarea, [contenteditable]") ||
      (outlineStyle !== "none" && outlineWidth !== "0px");
  })()`);
  expect(isVisible).toBe(true);
}

async function enter(page: Page, element: Locator): Promise<void> {
  await tabTo(page, element);
  await page.keyboard.press("Enter");
}

/** From anywhere: the header is before the page's content. */
async function goTo(page: Page, section: string): Promise<void> {
  const link = page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: section });
  await tabTo(page, link, "Shift+Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: section }).waitFor();
}

/** In a dialog, presses Tab until the focus is where it was after the first time: from there on it takes the same way again. */
async function expectFocusGoesRound(page: Page): Promise<void> {
  for (let stops = 0; stops < STOPS_MAX; stops++) {
    await page.keyboard.press("Tab");
    const [isInside, isFirst] = await page.evaluate<[boolean, boolean]>(`(() => {
      const focused = document.activeElement;
      window.firstStop ??= focused;
      return [focused.closest("[role=dialog]") !== null, focused === window.firstStop];
    })()`);
    expect(isInside).toBe(true);
    if (!isFirst || stops === 0) continue;
    await page.evaluate("delete window.firstStop");
    return;
  }
  throw new Error(`${STOPS_MAX} times Tab did not come back to where it began`);
}

/** Opens a dialog, finds nothing wrong with it, keeps the focus in it, and closes it again. */
async function visitDialog(page: Page, opener: Locator, name: string | RegExp): Promise<void> {
  await enter(page, opener);
  const dialog = page.getByRole("dialog", { name });
  await dialog.waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await expectFocusGoesRound(page);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await opener.and(page.locator(":focus")).waitFor();
}

it("all pages and dialogs are reached, used and left with the keyboard only", async () => {
  await using opened = await ui.open({ as: null, context: { reducedMotion: "reduce" } });
  const { page } = opened;
  await page.goto("/");
  await tabTo(page, page.getByLabel("API key"));
  await page.keyboard.insertText(ui.stack.apiKey);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await tabTo(page, page.getByRole("link", { name: "touring" }));

  await visitPalette(page);
  await visitService(page);
  await visitFindings(page);
  await visitKeys(page);
  await visitJourneys(page);
  await visitCoverage(page);
  await visitEnvironments(page);
  await visitPeople(page);

  await tabTo(page, page.getByRole("button", { name: "Sign out" }), "Shift+Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Sign in to Waymark" }).waitFor();
  expect(opened.complaints).toEqual([]);
}, 300_000);

async function visitPalette(page: Page): Promise<void> {
  const target = async (text: string, option: string | RegExp) => {
    await page.keyboard.press("ControlOrMeta+k");
    const dialog = page.getByRole("dialog", { name: "Go to" });
    await dialog.getByRole("combobox").and(page.locator(":focus")).waitFor();
    await page.keyboard.insertText(text);
    await dialog.getByRole("option", { name: option, selected: true }).waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
  };
  await target("audit", "Audit log page");
  await page.getByRole("heading", { level: 1, name: "Audit log" }).waitFor();
  await target("get /items", /^GET \/items/);
  await page.getByRole("heading", { level: 1, name: /^GET \/items/ }).waitFor();
  await target("craft.journey.yaml", "Craft journey");
  await page.getByRole("heading", { level: 1, name: "Craft", exact: true }).waitFor();
  await target("test", "test environment");
  await page.getByRole("heading", { level: 1, name: "test", exact: true }).waitFor();
  await target("First key", "First key key");
  await page.getByRole("dialog", { name: "First key" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await goTo(page, "Services");
}

async function visitService(page: Page): Promise<void> {
  await enter(page, page.getByRole("link", { name: "touring" }));
  await visitDialog(page, page.getByRole("button", { name: "Badge", exact: true }), "Badge");
  await visitDialog(page, page.getByRole("table").locator("button[aria-haspopup=dialog]").first(), /things/);
  await tabTo(page, page.getByRole("tab", { name: /^Endpoints/ }));
  await page.keyboard.press("ArrowRight");
  await page.getByRole("tab", { name: "Changes", selected: true }).waitFor();
  await page.getByRole("link", { name: "+1 endpoint" }).waitFor();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("tab", { name: "Scan runs", selected: true }).waitFor();
  await enter(page, page.getByRole("table").getByRole("link").first());
  await tabTo(page, page.getByRole("tab", { name: /^Changes/ }));
  await page.keyboard.press("ArrowRight");
  await page.getByRole("tab", { name: /^Endpoints/, selected: true }).waitFor();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("tab", { name: /^Findings/, selected: true }).waitFor();
  await visitDialog(page, page.getByRole("table").locator("button[aria-haspopup=dialog]").first(), "Finding");
  await tabTo(page, page.getByRole("tab", { name: /^Findings/ }), "Shift+Tab");
  await page.keyboard.press("ArrowRight");
  await page.getByRole("heading", { name: / new$/ }).waitFor();
  await page.keyboard.press("j");
  await page.locator("[data-card]:focus").waitFor();
}

async function visitFindings(page: Page): Promise<void> {
  await goTo(page, "Findings");
  const low = page.getByRole("region", { name: "Severity" }).getByRole("button", { name: /^low/ });
  await enter(page, low);
  await page.getByRole("status").getByText("1 finding", { exact: true }).waitFor();
  await visitDialog(page, page.getByRole("table").locator("button[aria-haspopup=dialog]").first(), "Finding");
}

async function visitPeople(page: Page): Promise<void> {
  await goTo(page, "People");
  await visitDialog(page, page.getByRole("button", { name: "Invite a person" }), "Invite a person");
  await tabTo(page, page.getByRole("tab", { name: "People" }));
  await page.keyboard.press("ArrowRight");
  await page.getByRole("tab", { name: "Teams", selected: true }).waitFor();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("tab", { name: "Service accounts", selected: true }).waitFor();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("tab", { name: "Roles", selected: true }).waitFor();
  await visitDialog(page, page.getByRole("button", { name: "Create a role" }), "Create a role");
}

async function visitKeys(page: Page): Promise<void> {
  await goTo(page, "API keys");
  await visitDialog(page, page.getByRole("button", { name: "Details of First key" }), /First key/);
  await enter(page, page.getByRole("button", { name: "Create a key" }));
  await page.getByLabel("Name").and(page.locator(":focus")).waitFor();
  await page.keyboard.insertText("made by keyboard");
  await enter(page, page.getByRole("button", { name: "Create key" }));
  await page.getByTestId("raw-key").waitFor();
  await enter(page, page.getByRole("button", { name: "I've saved the key" }));
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Create a key" }).and(page.locator(":focus")).waitFor();
  await page.getByText("made by keyboard").waitFor();
  await tabTo(page, page.getByRole("link", { name: "Trust policies" }), "Shift+Tab");
  await page.keyboard.press("Enter");
  await visitDialog(page, page.getByRole("button", { name: "Create a policy" }), "Create a trust policy");
  await goTo(page, "API keys");
  await tabTo(page, page.getByRole("link", { name: "Limits" }));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Limits and usage" }).waitFor();
}

async function visitJourneys(page: Page): Promise<void> {
  await goTo(page, "Journeys");
  await enter(page, page.getByRole("link", { name: "Craft", exact: true }));
  await tabTo(page, page.getByRole("tab", { name: "Runs" }));
  await page.keyboard.press("ArrowRight");
  await visitDialog(page, page.getByRole("button", { name: "Create a schedule" }), "Create a schedule");
  await visitDialog(page, page.getByRole("button", { name: "Remove nightly" }), "Remove nightly?");
  await tabTo(page, page.getByRole("link", { name: "Edit" }), "Shift+Tab");
  await page.keyboard.press("Enter");
  await page.getByText("No problems.").waitFor();
  await tabTo(page, page.getByRole("navigation", { name: "Sections" }).getByRole("link").last(), "Shift+Tab");
}

async function visitCoverage(page: Page): Promise<void> {
  await goTo(page, "Coverage");
  await enter(page, page.getByRole("button", { name: /^AC-1/ }));
  await page.getByRole("button", { name: /^AC-1/, pressed: true }).waitFor();
  await tabTo(page, page.getByRole("button", { name: /^Only what the journey of AC-1 calls/ }));
  await page.keyboard.press("Enter");
  await page.getByText("30 of 30").waitFor();
}

async function visitEnvironments(page: Page): Promise<void> {
  await goTo(page, "Environments");
  const create = page.getByRole("button", { name: "Create an environment" });
  await visitDialog(page, create, "Create an environment");
  await enter(page, page.getByRole("link", { name: "test" }));
  await page.getByRole("heading", { level: 1, name: "test" }).waitFor();
  await visitDialog(page, page.getByRole("button", { name: "Change settings" }), /settings|test/i);
  await visitDialog(page, page.getByRole("button", { name: "Set a secret" }), /secret/i);
  await tabTo(page, page.getByRole("button", { name: "Delete…" }), "Shift+Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Delete test?" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Delete…" }).and(page.locator(":focus")).waitFor();
}
