import type { Team } from "@waymark/shared/principals/teams/schema.ts";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { storeUser } from "@waymark/test-support/principals.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

const STILL = { context: { reducedMotion: "reduce" } } as const;
const PHONE = { context: { reducedMotion: "reduce", viewport: { width: 390, height: 844 } } } as const;

let ui: TestConsole;
beforeAll(async () => {
  ui = await startConsole();
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

it("a team is created with a slug of its name, gets a member and a role for what it owns, and is deleted", async () => {
  const ada = await storeUser(ui.stack, { displayName: "Ada" });
  await storeUser(ui.stack, { displayName: "Mem Ber", roles: [] });
  await using opened = await ui.open({ ...STILL, as: ada.rawKey });
  const { page } = opened;
  await page.goto("/people?tab=teams");
  await page.getByText("No teams yet.").waitFor();
  await page.getByRole("button", { name: "Create a team" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill("All");
  await dialog.getByText("must not be me, none, all").waitFor();
  await dialog.getByLabel("Name", { exact: true }).fill("Payments & Billing");
  expect(await dialog.getByLabel("Slug").inputValue()).toBe("payments-billing");
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Create team" }).click();
  await page.getByRole("heading", { name: "Payments & Billing", level: 1 }).waitFor();

  await page.getByRole("button", { name: "Add a member" }).click();
  await dialog.getByRole("combobox", { name: "Person" }).fill("mem");
  await page.getByRole("option", { name: /^Mem Ber/ }).click();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Add member" }).click();
  await page.getByRole("link", { name: "Mem Ber" }).waitFor();

  await page.getByRole("button", { name: "Grant a role" }).click();
  await dialog.getByRole("combobox", { name: "Only for the services of this team" }).click();
  await page.getByRole("option", { name: "Payments & Billing" }).click();
  await dialog.getByRole("button", { name: "Grant role" }).click();
  await page.getByRole("cell", { name: "services of the team payments-billing" }).waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);

  await page.getByRole("link", { name: "Mem Ber" }).click();
  await page.getByText("No roles besides those of the teams.").waitFor();
  await page.getByRole("link", { name: "Payments & Billing" }).click();
  await page.getByRole("button", { name: "Remove Mem Ber" }).click();
  await dialog.getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByText("No members yet.").waitFor();
  await page.getByRole("button", { name: "Delete…" }).click();
  await dialog.getByText("Its services have no owner then.").waitFor();
  await dialog.getByRole("button", { name: "Delete team" }).click();
  await page.getByText("No teams yet.").waitFor();
  expect(opened.complaints).toEqual([]);
});

it("a team is read by a viewer without buttons, addresses and roles", async () => {
  const { body: team } = await ui.stack.http.post<Team>("/api/teams", { slug: "web", displayName: "Web" });
  const member = await storeUser(ui.stack, { displayName: "Wendy", roles: [] });
  await ui.stack.http.request("PUT", `/api/teams/${team.id}/members/${member.id}`, { body: {} });
  const viewer = await storeUser(ui.stack, { displayName: "Vera", roles: ["viewer"] });
  await using opened = await ui.open({ ...PHONE, as: viewer.rawKey });
  const { page } = opened;
  await page.goto(`/teams/${team.id}?add=1&change=1`);
  await page.getByText("Wendy", { exact: true }).waitFor();
  await page.getByText("You lack the permission teams:manage").waitFor();
  expect(await page.getByRole("main").getByText("@example.com").count()).toBe(0);
  expect(await page.getByRole("heading", { name: "Roles" }).count()).toBe(0);
  expect(await page.getByRole("button", { name: /Add|Remove|Change|Delete|Grant/ }).count()).toBe(0);
  expect(await page.getByRole("dialog").count()).toBe(0);
  expect(await page.evaluate<boolean>("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  expect(await violationsInBothSchemes(page)).toEqual([]);
  expect(opened.complaints).toEqual([]);
});
