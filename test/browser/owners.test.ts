import { afterAll, beforeAll, expect, it } from "vitest";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { storeTeam, storeTeamMember, storeUser } from "@waymark/test-support/principals.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";

let ui: TestConsole;
let myKey: string;
beforeAll(async () => {
  ui = await startConsole();
  const me = await storeUser(ui.stack);
  myKey = me.rawKey;
  await storeTeamMember(ui.stack, { teamId: await storeTeam(ui.stack, "payments"), principalId: me.id });
  await storeTeam(ui.stack, "orders");
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

const scan = (serviceName: string) => ui.scan(scanPayload({ serviceName }));

it("a service is given to a team in its settings, and every list is filtered by owner", async () => {
  const { serviceId } = await scan("ledger");
  await scan("basket");
  await using opened = await ui.open({ as: myKey });
  const { page } = opened;
  await page.goto(`/services/${serviceId}`);
  await page.getByText("Owner: no team").waitFor();
  await page.getByRole("button", { name: "Settings" }).click();
  const dialog = page.getByRole("dialog", { name: "Settings of the service" });
  await dialog.getByRole("combobox", { name: "Owner" }).click();
  await page.getByRole("option", { name: "payments" }).click();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("link", { name: "payments", exact: true }).click();
  await page.waitForURL("**/services?owner=payments");
  await page.getByText("1 of 2").waitFor();
  await page.getByRole("link", { name: "ledger" }).waitFor();

  const owner = page.getByRole("combobox", { name: "Owner" });
  for (const [choice, name, count] of [
    ["No owner", "basket", "1 of 2"],
    ["Mine", "ledger", "1 of 2"],
  ] as const) {
    await owner.click();
    await page.getByRole("option", { name: choice }).click();
    await page.getByText(count).waitFor();
    await page.getByRole("link", { name, exact: true }).waitFor();
  }
  expect(await page.getByRole("link", { name: "basket", exact: true }).count()).toBe(0);
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await owner.click();
  await page.getByRole("option", { name: "orders" }).click();
  await page.getByText("No service has this owner and passes the other filters.").waitFor();

  await page.goto("/?owner=me");
  await page.getByRole("link", { name: "ledger" }).first().waitFor();
  expect(await page.getByRole("link", { name: "basket", exact: true }).count()).toBe(0);
  await page.goto("/findings?owner=me");
  await page.getByText("2 findings", { exact: true }).waitFor();
  await page.getByText("payments", { exact: true }).first().waitFor();
  await page.goto("/endpoints?q=get&owner=none");
  await page.getByText("1 endpoint", { exact: true }).waitFor();
  await page.getByRole("link", { name: "basket" }).waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  expect(opened.complaints).toEqual([]);
}, 180_000);

it("a key without a user has no services of its own to choose, and a link with a wrong owner shows all", async () => {
  await scan("lonely");
  await using opened = await ui.open();
  const { page } = opened;
  await page.goto("/services?owner=No%20Slug");
  await page.getByText("3 of 3").waitFor();
  await page.getByRole("combobox", { name: "Owner" }).click();
  await page.getByRole("option", { name: "No owner" }).waitFor();
  expect(await page.getByRole("option", { name: "Mine" }).count()).toBe(0);
}, 120_000);

it("the filter for one's own services shows an error while the teams can't be read, not that there are none", async () => {
  await using opened = await ui.open({ as: myKey });
  const { page } = opened;
  await page.route("**/api/teams", (route) => route.abort());
  await page.goto("/services?owner=me");
  await page.getByRole("button", { name: "Try again" }).waitFor();
  expect(await page.getByText("No service has this owner").count()).toBe(0);
  await page.unroute("**/api/teams");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("link", { name: "ledger" }).waitFor();
});
