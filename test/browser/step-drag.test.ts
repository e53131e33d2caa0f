import { storedText } from "@waymark/test-support/build-mode.ts";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { journeyText, overlayText, storeDocument } from "@waymark/test-support/journeys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let ui: TestConsole;
beforeAll(async () => {
  ui = await startConsole();
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

const PING = journeyText("Drag").slice(journeyText("Drag").indexOf("      - stepId: ping"));
const HEAD = `# kept\n${journeyText("Drag").replace(PING, "")}`;
const PONG = `      - stepId: pong # and this
        x-operation: { url: "https://api.example/pong", method: get }   # with its spaces
`;
const PANG = `      - { stepId: pang, operationId: 'quoted' }
`;

/** A window in which three steps are away from its edges, near which a drag scrolls the page. */
const LARGE = { viewport: { width: 1280, height: 1400 } };

async function openSteps(page: Page, id: string) {
  await page.goto(`/journeys/${id}/edit`);
  const cards = page.getByRole("list", { name: "Steps of main" }).locator("> li");
  await cards.first().waitFor();
  return { cards, ids: () => cards.locator("b").allTextContents() };
}

/** Takes a step by its grip to a height of the window, and waits until that is its place. */
async function drag(page: Page, step: string, to: { y: number; gap: number }): Promise<void> {
  const card = page.getByRole("list", { name: "Steps of main" }).locator("> li").filter({ hasText: step });
  await card.locator("[data-grip]").hover();
  await page.mouse.down();
  await page.mouse.move(400, to.y);
  await page.locator(`[data-gap="${to.gap}"]`).getByText(step).waitFor({ state: "attached" });
}

async function boxOf(locator: ReturnType<Page["locator"]>) {
  const box = await locator.boundingBox();
  if (box === null) throw new Error("it has no box");
  return { top: box.y, bottom: box.y + box.height };
}

describe("a step that is dragged", () => {
  it("gets its new place in the text, where every other byte stays, and one undo takes it back", async () => {
    const text = HEAD + PING + PONG + PANG;
    const { id } = await storeDocument(ui.stack, { path: "drag.journey.yaml", text });
    await using opened = await ui.open({ context: LARGE });
    const { page } = opened;
    const { cards, ids } = await openSteps(page, id);
    await drag(page, "pang", { y: (await boxOf(cards.first())).top + 2, gap: 0 });
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.mouse.up();
    await expect.poll(ids).toEqual(["pang", "ping", "pong"]);
    expect(await page.locator("[data-gap]").count()).toBe(0);
    await page.getByText("pang is now step 1 of 3.").waitFor({ state: "attached" });
    await expect.poll(() => page.evaluate("document.activeElement.dataset.focus")).toBe("pang");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("As version 1", { exact: true }).waitFor();
    await expect.poll(ids).toEqual(["ping", "pong", "pang"]);

    await drag(page, "ping", { y: (await boxOf(cards.last())).bottom - 2, gap: 3 });
    await page.mouse.up();
    await expect.poll(ids).toEqual(["pong", "pang", "ping"]);
    await page.getByRole("button", { name: "Save…" }).click();
    await page.getByText("No other document refers to this one.").waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("As version 2", { exact: true }).waitFor();
    expect((await storedText(ui.stack, id)).text).toBe(HEAD + PONG + PANG + PING);
    expect(opened.complaints).toEqual([]);
  });

  it("stays where it is after Escape, and where it is dropped at its own place", async () => {
    const text = HEAD + PING + PONG + PANG;
    const { id } = await storeDocument(ui.stack, { path: "stays.journey.yaml", text });
    await using opened = await ui.open({ context: LARGE });
    const { page } = opened;
    const { cards, ids } = await openSteps(page, id);
    await drag(page, "pang", { y: (await boxOf(cards.first())).top + 2, gap: 0 });
    await page.keyboard.press("Escape");
    await page.locator("[data-gap]").waitFor({ state: "detached" });
    await page.mouse.up();
    await drag(page, "pong", { y: (await boxOf(cards.nth(1))).top + 2, gap: 1 });
    await page.mouse.up();
    await page.locator("[data-gap]").waitFor({ state: "detached" });
    expect(await ids()).toEqual(["ping", "pong", "pang"]);
    await page.getByText("As version 1", { exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "Undo" }).isDisabled()).toBe(true);
    expect(opened.complaints).toEqual([]);
  });

  it("scrolls the page at its edge, as far as the list goes", async () => {
    const more = Array.from({ length: 30 }, (_, n) => `      - { stepId: s${n}, operationId: call }\n`);
    const text = HEAD + PING + more.join("");
    const { id } = await storeDocument(ui.stack, { path: "scrolled.journey.yaml", text });
    await using opened = await ui.open({ context: { viewport: { width: 1280, height: 700 } } });
    const { page } = opened;
    const { ids } = await openSteps(page, id);
    await drag(page, "ping", { y: 690, gap: 31 });
    await page.mouse.up();
    await expect.poll(async () => (await ids()).at(-1)).toBe("ping");
    expect(opened.complaints).toEqual([]);
  });

  it("becomes an action of a variant, and its base keeps its bytes", async () => {
    const base = HEAD + PING + PONG;
    const stored = await storeDocument(ui.stack, { path: "dragged-base.journey.yaml", text: base });
    const variant = overlayText("dragged", "dragged-base.journey.yaml");
    const { id } = await storeDocument(ui.stack, { path: "dragged.overlay.yaml", text: variant });
    await using opened = await ui.open({ context: LARGE });
    const { page } = opened;
    const { cards, ids } = await openSteps(page, id);
    await drag(page, "ping", { y: (await boxOf(cards.last())).bottom - 2, gap: 2 });
    await page.mouse.up();
    await expect.poll(ids).toEqual(["pong", "ping"]);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("As version 1", { exact: true }).waitFor();
    expect((await storedText(ui.stack, stored.id)).text).toBe(base);
    expect(opened.complaints).toEqual([]);
  });

  it("needs the permission to write: others have nothing to drag by", async () => {
    const { id } = await storeDocument(ui.stack, { path: "grips.journey.yaml", text: HEAD + PING + PONG });
    const reader = await createKey(ui.stack, ["journeys:read"]);
    await using opened = await ui.open({ as: reader });
    const { page } = opened;
    await openSteps(page, id);
    expect(await page.locator("[data-grip]").count()).toBe(0);
  });
});
