import { startConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { descriptionOf, scanOf, SHOP } from "@waymark/test-support/journey-coverage/shop.ts";
import { type CoveredShop, startCoveredShop } from "@waymark/test-support/journey-coverage/console.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { storeDocument } from "@waymark/test-support/journeys.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let shop: CoveredShop;
beforeAll(async () => {
  shop = await startCoveredShop();
}, 180_000);
afterAll(() => shop[Symbol.asyncDispose]());

const table = (page: Page, name: string) => page.getByRole("table", { name });
const rowOf = (page: Page, name: string, text: string) =>
  table(page, name).getByRole("row").filter({ hasText: text });

describe("coverage", () => {
  it("is reached from the navigation and shows totals, criteria and endpoints with their states in words", async () => {
    await using opened = await shop.ui.open();
    const { page } = opened;
    await page.goto("/");
    await page.getByRole("link", { name: "Coverage" }).click();
    const totals = page.getByRole("list", { name: "Totals" });
    await totals.getByText("2 of 5, 40 %").waitFor();
    await totals.getByText("3 of 30, 10 %").waitFor();
    const states = { "AC-1": "proven", "AC-3": "unproven", "AC-4": "failed", "AC-5": "not run" };
    for (const [id, state] of Object.entries(states))
      await rowOf(page, "Acceptance criteria", id).getByText(state, { exact: true }).waitFor();
    const endpoints = { "POST /orders": "asserted", "GET /stores": "called", "GET /taxes": "uncalled" };
    for (const [name, state] of Object.entries(endpoints)) {
      await page.getByPlaceholder("Method, path or journey").fill(name);
      await rowOf(page, "Endpoints", name).first().getByText(state, { exact: true }).waitFor();
    }
    await page.getByPlaceholder("Method, path or journey").fill("/status");
    await rowOf(page, "Endpoints", "/status").getByText("not scanned").waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });

  it("selects the endpoints of a criterion and the criteria of an endpoint, by keyboard, and a link keeps it", async () => {
    await using opened = await shop.ui.open({ context: { reducedMotion: "reduce" } });
    const { page } = opened;
    await page.goto("/coverage");
    const criterion = page.getByRole("button", { name: /^AC-4/ });
    await criterion.focus();
    await page.keyboard.press("Enter");
    await page.getByText("1 of 32").waitFor();
    await rowOf(page, "Endpoints", "/items/broken").waitFor();
    await page.reload();
    await page.getByText("1 of 32").waitFor();
    await page.getByRole("button", { name: /^AC-4/, pressed: true }).waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.getByRole("button", { name: "Only what the journey of AC-4 calls. Show all" }).click();
    await page.getByText("32 of 32").waitFor();

    await page.getByPlaceholder("Method, path or journey").fill("/stores");
    await page.getByRole("button", { name: "GET /stores", exact: true }).click();
    await page.getByText("3 of 5").waitFor();
    await page.getByRole("button", { name: "Only of journeys that call GET /stores. Show all" }).click();
    await page.getByText("5 of 5").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("has the totals of more endpoints than one list can have, and says how to get a list", async () => {
    await using ui = await startConsole();
    for (const number of Array.from({ length: 11 }, (_, index) => index)) {
      const serviceName = `large ${number}`;
      const scan = scanPayload({ serviceName, endpoints: 2_000, findings: 0, seed: serviceName });
      const { serviceId } = await ui.scan(scan);
      const text = descriptionOf(["GET /items"]);
      const { id } = await storeDocument(ui.stack, { path: `${number}.openapi.json`, text });
      await ui.stack.http.request("PUT", `/api/journeys/${id}/binding`, { body: { serviceId } });
    }
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto("/");
    await page.getByRole("link", { name: "Endpoints covered" }).click();
    await page.getByRole("list", { name: "Totals" }).getByText("0 of 22,000, 0 %").first().waitFor();
    await page.getByText("Choose a service to see the lists").waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await choose(page, "Service", "large 3");
    await page.getByText("2,000 of 2,000").waitFor();
  });

  it("says so if the service of a link is none", async () => {
    await using opened = await shop.ui.open();
    const { page } = opened;
    await page.goto("/coverage?service=shop");
    await page.getByRole("alert").waitFor();
    expect(await page.getByText("too many endpoints").count()).toBe(0);
  });

  it("is filtered by service, environment, origin, time, state and severity, in the address", async () => {
    await using opened = await shop.ui.open();
    const { page } = opened;
    await page.goto("/coverage");
    await page.getByText("5 of 5").waitFor();
    await choose(page, "Run by", "uploaded");
    await page.getByText("0 of 5, 0 %").waitFor();
    // Choosing the selected option clears it.
    await choose(page, "Run by", "uploaded");
    await page.getByText("2 of 5, 40 %").waitFor();
    await choose(page, "Service", "shop");
    await choose(page, "Environment", "staging");
    await choose(page, "Runs of the last", "7 days");
    await choose(page, "State", "failed (1)");
    await page.getByText("1 of 5", { exact: true }).waitFor();
    await choose(page, "Coverage", "not scanned (2)");
    await page.getByText("2 of 32").waitFor();
    const chosen = () => Object.fromEntries(new URL(page.url()).searchParams);
    await expect.poll(chosen).toEqual({
      service: shop.serviceId,
      environment: shop.environmentId,
      window: "7",
      state: "failed",
      coverage: "notInInventory",
    });
    await page.getByRole("link", { name: "break.journey.json" }).first().waitFor();
    await rowOf(page, "Acceptance criteria", "AC-4")
      .getByRole("link", { name: /now|ago/ })
      .click();
    await page.waitForURL("**/journey-runs/*");
    expect(opened.complaints).toEqual([]);
  });

  it("leads from an endpoint that no journey calls to a new journey for it", async () => {
    await using opened = await shop.ui.open();
    const { page } = opened;
    await page.goto("/coverage");
    await page.getByPlaceholder("Method, path or journey").fill("GET /taxes");
    await page.getByRole("link", { name: "New journey for GET /taxes", exact: true }).click();
    await page.waitForURL("**/journeys/new?*");
    await expect.poll(() => page.getByRole("combobox", { name: "Service" }).inputValue()).toBe("shop");
    await expect
      .poll(() => page.getByRole("combobox", { name: "It covers" }).inputValue())
      .toBe("GET /taxes");
    await page.getByLabel("Title").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("says what a key lacks, and shows one of a service that service's", async () => {
    const reader = await createKey(shop.ui.stack, ["journeys:read"]);
    await using refused = await shop.ui.open({ as: reader });
    await refused.page.goto("/coverage");
    await refused.page.getByText(/services:read/).waitFor();
    const { serviceId } = shop;
    const ofShop = await createKey(shop.ui.stack, [
      { permission: "journeys:read" },
      { permission: "services:read", serviceId },
      { permission: "endpoints:read", serviceId },
    ]);
    await using limited = await shop.ui.open({ as: ofShop });
    await limited.page.goto("/coverage");
    await limited.page.getByText("2 of 5, 40 %").waitFor();
    expect([...refused.complaints, ...limited.complaints]).toEqual([]);
  });
});

describe("a scan run", () => {
  it("names the journeys that it breaks, with what they call", async () => {
    const { scanRunId } = await shop.ui.scan(
      scanOf(
        "shop",
        SHOP.filter((one) => one !== "POST /orders"),
      ),
    );
    await using opened = await shop.ui.open({ context: { reducedMotion: "reduce" } });
    const { page } = opened;
    await page.goto(`/scan-runs/${scanRunId}`);
    await page
      .getByRole("region", { name: "Verdict" })
      .getByRole("link", { name: "breaks 1 journey" })
      .click();
    const broken = page.getByRole("group", { name: "Broken journeys" });
    await broken.getByText("calls POST /orders, which is gone").waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await broken.getByRole("link", { name: "Buy" }).click();
    await page.getByRole("heading", { name: "Buy" }).waitFor();
    expect(opened.complaints).toEqual([]);

    const reader = await createKey(shop.ui.stack, ["services:read", "endpoints:read"]);
    await using other = await shop.ui.open({ as: reader });
    await other.page.goto(`/scan-runs/${scanRunId}`);
    await other.page.getByText("broken journeys are not known").waitFor();
    await other.page.getByText("it can't see which journeys this change breaks").waitFor();
    expect(await other.page.getByText("Breaks 1 journey").count()).toBe(0);
    expect(other.complaints).toEqual([]);
  });
});

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole("combobox", { name: label, exact: true }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
}
