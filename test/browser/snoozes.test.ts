import type { Page } from "playwright-core";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { type StoredUser, storeUser } from "@waymark/test-support/principals.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

const STILL = { context: { reducedMotion: "reduce" } } as const;

let ui: TestConsole;
let ada: StoredUser;
beforeAll(async () => {
  ui = await startConsole();
  for (const serviceName of ["ledger", "orders", "refunds"]) await send(serviceName);
  await query(ui.stack, "UPDATE services SET created_at = now() - interval '30 days'");
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());
beforeEach(async () => {
  ada = await storeUser(ui.stack);
});

/** Sends a scan that is not promoted because it fails a gate. */
async function send(serviceName: string): Promise<void> {
  const { http } = ui.stack;
  const payload = scanPayload({ serviceName, endpoints: 2 });
  const headers = { "waymark-promote": "false" };
  const { body } = await http.post<{ scanRunId: string }>("/api/scans/ingest", payload, { headers });
  await waitForRun(ui.stack, body.scanRunId);
  const gates = [{ gate: "--fail-on high", passed: false, causes: [], causeCount: 1 }];
  await http.request("PUT", `/api/scan-runs/${body.scanRunId}/gates`, { body: { gates } });
}

const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });
const linkIn = (page: Page, name: string) => row(page, name).getByRole("link", { name: /^Failed/ });
const tab = (page: Page, name: string) => page.getByRole("tab", { name, exact: true });

describe("the inbox of a person", () => {
  it("has no item that is snoozed, with counts that are true and tiles that stay, until it comes back", async () => {
    await using opened = await ui.open({ ...STILL, as: ada.rawKey });
    const { page } = opened;
    await page.goto("/");
    await tab(page, "Open (3)").waitFor();
    await row(page, "orders")
      .getByRole("button", { name: /^Snooze: orders/ })
      .click();
    const dialog = page.getByRole("dialog", { name: "Snooze" });
    await dialog.getByText("orders: Failed --fail-on high").waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Tomorrow, 9:00" }).click();
    await tab(page, "Open (2)").waitFor();
    await tab(page, "Snoozed (1)").waitFor();
    expect(await row(page, "orders").count()).toBe(0);
    await page.getByText(/^orders is snoozed until /).waitFor();
    await page.getByRole("list", { name: "Key figures" }).getByText("3 services").waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    // The page of a tile lists what the tile counts: snoozed items apart.
    await page.goto("/?all=gates");
    await page.getByRole("heading", { name: "Services whose last scan failed a gate (2)" }).waitFor();
    await page.getByRole("heading", { name: "Snoozed (1)" }).waitFor();
    await row(page, "orders")
      .getByRole("button", { name: /^Return orders/ })
      .waitFor();
    // The focus goes to the item before, not to what is snoozed; what has come back is not said to be snoozed.
    await row(page, "ledger")
      .getByRole("link", { name: /^Failed/ })
      .focus();
    await page.keyboard.press("s");
    await dialog.getByRole("button", { name: "Tomorrow, 9:00" }).click();
    await page.getByRole("heading", { name: "Snoozed (2)" }).waitFor();
    await page.getByText(/^ledger is snoozed until /).waitFor();
    await row(page, "refunds").locator("a:focus").waitFor();
    await page.getByRole("button", { name: /^Return ledger/ }).click();
    await page.getByRole("heading", { name: "Snoozed (1)" }).waitFor();
    expect(await page.getByText(/is snoozed until/).count()).toBe(0);
    await page.goto("/?tab=snoozed");
    await row(page, "orders").getByText(/9:00/).waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    // A newer scan that fails brings it back.
    await send("orders");
    await page.goto("/");
    await tab(page, "Open (3)").waitFor();
    await tab(page, "Snoozed (0)").waitFor();
    await row(page, "orders")
      .getByRole("button", { name: /^Snooze: orders/ })
      .click();
    await dialog.getByLabel("Another day").fill(inDays(5));
    await dialog.getByRole("button", { name: "Until 9:00 of that day" }).click();
    await tab(page, "Snoozed (1)").click();
    await row(page, "orders")
      .getByRole("button", { name: /^Return orders/ })
      .click();
    await page.getByText("You have snoozed nothing that is in the inbox.").waitFor();
    await tab(page, "Open (3)").waitFor();
    expect(opened.complaints).toEqual([]);
  }, 120_000);

  it("is emptied by keyboard, without saying that all is well, and undone by one key", async () => {
    await using opened = await ui.open({ ...STILL, as: ada.rawKey });
    const { page } = opened;
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto("/");
    await tab(page, "Open (3)").waitFor();
    // Without a focused row, the key chooses the first one.
    await page.keyboard.press("s");
    const first = page.getByRole("table", { name: "Open" }).getByRole("row").nth(1);
    await first.getByRole("link").first().and(page.locator(":focus")).waitFor();
    for (const left of [2, 1, 0]) {
      await page.keyboard.press("s");
      const dialog = page.getByRole("dialog", { name: "Snooze" });
      await dialog.getByRole("button", { name: "Tomorrow, 9:00" }).and(page.locator(":focus")).waitFor();
      await page.keyboard.press("Enter");
      await dialog.waitFor({ state: "hidden" });
      await tab(page, `Open (${left})`).waitFor();
      if (left > 0) await page.locator("tr[data-item] a:focus").waitFor();
    }
    await page.getByText("Nothing needs attention but 3 items that you have snoozed.").waitFor();
    expect(await page.evaluate<boolean>("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.keyboard.press("u");
    await tab(page, "Open (1)").waitFor();
    await tab(page, "Snoozed (2)").waitFor();
    expect(await linkIn(page, "Failed").count()).toBe(1);
    expect(opened.complaints).toEqual([]);
  }, 120_000);

  it("can't be snoozed by a key that belongs to nobody", async () => {
    await using opened = await ui.open(STILL);
    const { page } = opened;
    await page.goto("/");
    await tab(page, "Open (3)").waitFor();
    expect(await page.getByRole("button", { name: /^Snooze/ }).count()).toBe(0);
    expect(await page.getByRole("tab").count()).toBe(2);
    await page.keyboard.press("s");
    expect(await page.getByRole("dialog").count()).toBe(0);
    // A person's link.
    await page.goto("/?tab=snoozed");
    await linkIn(page, "orders").waitFor();
    expect(opened.complaints).toEqual([]);
  });
});

function inDays(days: number): string {
  const day = new Date(Date.now() + days * 24 * 3600 * 1000);
  return day.toISOString().slice(0, 10);
}
