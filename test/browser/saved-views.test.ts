import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { type StoredUser, storeTeam, storeTeamMember, storeUser } from "@waymark/test-support/principals.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const STILL = { context: { reducedMotion: "reduce" } } as const;

let ui: TestConsole;
let ada: StoredUser;
let eve: StoredUser;
beforeAll(async () => {
  ui = await startConsole();
  await ui.scan(scanPayload({ serviceName: "payments" }));
  await ui.scan(scanPayload({ serviceName: "orders" }));
  [ada, eve] = [await storeUser(ui.stack), await storeUser(ui.stack, { displayName: "Eve" })];
  const teamId = await storeTeam(ui.stack, "billing");
  for (const { id: principalId } of [ada, eve]) await storeTeamMember(ui.stack, { teamId, principalId });
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

const menu = (page: Page) => page.getByRole("group", { name: "Saved views" });
const openMenu = async (page: Page) => {
  await page.getByRole("button", { name: "Views", exact: true }).click();
  await menu(page).waitFor();
};
async function save(page: Page, { name, team }: { name: string; team?: string }) {
  await openMenu(page);
  await menu(page).getByRole("button", { name: "Save these filters…" }).click();
  const dialog = page.getByRole("dialog", { name: "Save these filters" });
  await dialog.getByRole("textbox", { name: "Name" }).fill(name);
  if (team !== undefined) {
    await dialog
      .getByRole("combobox", { name: "For" })
      .or(dialog.getByRole("textbox", { name: "For" }))
      .click();
    await page.getByRole("option", { name: team }).click();
  }
  await dialog.getByRole("button", { name: "Save view" }).click();
  await dialog.waitFor({ state: "hidden" });
}

describe("the filters of a page", () => {
  it("are saved under a name, opened by one click and by Ctrl-K, replaced, renamed and removed", async () => {
    await using opened = await ui.open({ ...STILL, as: ada.rawKey });
    const { page } = opened;
    await page.goto("/services?q=pay");
    await page.getByText("1 of 2", { exact: true }).waitFor();
    const views = await page.getByRole("button", { name: "Views", exact: true }).boundingBox();
    const csv = await page.getByRole("button", { name: /as CSV$/ }).boundingBox();
    if (views === null || csv === null) throw new Error("not shown");
    // Beside each other.
    expect(views.x + views.width).toBeLessThanOrEqual(csv.x);
    expect(Math.abs(views.y - csv.y)).toBeLessThan(views.height / 2);
    await save(page, { name: "Pay only" });
    await page.getByRole("textbox", { name: "Search" }).fill("orders");
    await page.getByRole("link", { name: "payments" }).waitFor({ state: "hidden" });
    await openMenu(page);
    expect(await menu(page).locator("[aria-current]").count()).toBe(0);
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await menu(page).getByRole("link", { name: "Pay only" }).click();
    await page.waitForURL("**/services?q=pay");
    await page.getByRole("link", { name: "payments" }).waitFor();
    expect(await menu(page).isVisible()).toBe(false);
    // Other filters do not change the view until that is asked for.
    await page.getByRole("textbox", { name: "Search" }).fill("ord");
    await page.waitForURL("**/services?q=ord");
    await openMenu(page);
    await menu(page).getByRole("button", { name: "Change Pay only" }).click();
    const dialog = page.getByRole("dialog", { name: "Change Pay only" });
    await dialog.getByRole("checkbox", { name: "Replace its filters with those that are set now" }).check();
    await dialog.getByRole("textbox", { name: "Name" }).fill("Orders only");
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await dialog.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Views", exact: true }).and(page.locator(":focus")).waitFor();
    await page.goto("/endpoints");
    await page.getByRole("heading", { name: "Endpoints of all services" }).waitFor();
    await openMenu(page);
    await menu(page).getByText("No view of this page is saved.").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /^Name of a page, view/ }).fill("orders only");
    await page.getByRole("option", { name: "Orders only view" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/services?q=ord");
    await openMenu(page);
    await menu(page)
      .getByRole("link", { name: "Orders only" })
      .and(page.locator("[aria-current=true]"))
      .waitFor();
    await menu(page).getByRole("button", { name: "Change Orders only" }).click();
    await page.getByRole("button", { name: "Remove view" }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await openMenu(page);
    await menu(page).getByText("No view of this page is saved.").waitFor();
    expect(opened.complaints).toEqual([]);
  }, 120_000);

  it("are saved for a team, and nobody replaces what a colleague has changed meanwhile", async () => {
    await using hers = await ui.open({ ...STILL, as: ada.rawKey });
    await hers.page.goto("/decisions?state=holds");
    await save(hers.page, { name: "In force", team: "billing" });
    await using other = await ui.open({ ...STILL, as: eve.rawKey });
    const { page } = other;
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto("/decisions");
    await openMenu(page);
    const ofTeam = menu(page).getByRole("region", { name: "billing" });
    await ofTeam.getByRole("link", { name: "In force" }).waitFor();
    expect(await page.evaluate<boolean>("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    expect(await violationsInBothSchemes(page)).toEqual([]);
    const change = async (on: Page, name: string) => {
      await menu(on).getByRole("button", { name: "Change In force" }).click();
      await on.getByRole("textbox", { name: "Name" }).fill(name);
      await on.getByRole("button", { name: "Save", exact: true }).click();
    };
    await openMenu(hers.page);
    await change(hers.page, "Holds");
    await hers.page.getByRole("dialog").waitFor({ state: "hidden" });
    await change(page, "Mine now");
    await page.getByRole("alert").getByText("The view was changed").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await openMenu(page);
    await ofTeam.getByRole("link", { name: "Holds" }).waitFor();
    expect(other.complaints.filter((complaint) => !complaint.includes("412"))).toEqual([]);
  }, 120_000);

  it("have no menu for a key that belongs to nobody", async () => {
    await using opened = await ui.open(STILL);
    const { page } = opened;
    await page.goto("/services");
    await page.getByRole("link", { name: "payments" }).waitFor();
    expect(await page.getByRole("button", { name: "Views", exact: true }).count()).toBe(0);
    expect(opened.complaints).toEqual([]);
  });
});
