import { sourceHeadersOf } from "@waymark/shared/scans/source/headers.ts";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { descriptionOf, shopJourney } from "@waymark/test-support/journey-coverage/shop.ts";
import { storeDocument } from "@waymark/test-support/journeys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import {
  bookshop,
  changedBookshop,
  NEW_FINDINGS,
  scanTagged,
  waitUntilCompared,
} from "@waymark/test-support/scans/bookshop.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const PULL_REQUEST = {
  branch: "nullable-prices",
  baseBranch: "main",
  commit: "8587dbd0c0ffee8587dbd0c0ffee8587dbd0c0ff",
  pullRequest: "812",
  pullRequestUrl: "https://github.com/acme/shop/pull/812",
  repository: "https://github.com/acme/shop.git",
  author: "Mira Žák",
  url: "https://ci.example/builds/7",
};

/** The description that the journeys have. */
const FILE = descriptionOf(["GET /books", "DELETE /books/{isbn}"]);

let ui: TestConsole;
let first: string;
let serviceId: string;
let change: string;
beforeAll(async () => {
  ui = await startConsole();
  const { http } = ui.stack;
  ({ scanRunId: first, serviceId } = await scanTagged(ui.stack, {
    serviceName: "bookshop",
    description: bookshop(),
    file: FILE,
  }));
  await http.post("/api/teams", { slug: "catalogue", displayName: "Catalogue team" });
  await http.request("PATCH", `/api/services/${serviceId}`, { body: { ownerTeam: "catalogue" } });
  await storeJourneys();
  change = (
    await scanTagged(ui.stack, {
      serviceName: "bookshop",
      description: changedBookshop(),
      findings: NEW_FINDINGS,
      headers: { ...sourceHeadersOf(PULL_REQUEST), "waymark-promote": "false" },
    })
  ).scanRunId;
  const gates = [
    {
      gate: "--fail-on breaking",
      passed: false,
      causes: ["DELETE /books/{isbn} was removed"],
      causeCount: 2,
    },
    { gate: "--fail-on high", passed: true, causes: [], causeCount: 0 },
  ];
  await http.request("PUT", `/api/scan-runs/${change}/gates`, { body: { gates } });
  await waitUntilCompared(ui.stack, change);
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

/** A journey that removes a book, and one that reads books. */
async function storeJourneys(): Promise<void> {
  await storeDocument(ui.stack, { path: "shop.openapi.json", text: FILE });
  for (const [title, operation] of [
    ["Clean the shelf", "DELETE /books/{isbn}"],
    ["Find a book", "GET /books"],
  ] as const)
    await storeDocument(ui.stack, {
      path: `${title.toLowerCase().replaceAll(" ", "-")}.journey.json`,
      text: shopJourney(title, {
        sources: { shop: "shop.openapi.json" },
        steps: [{ id: "one", source: "shop", operation, expects: 200 }],
        criteria: {},
      }),
    });
}

const verdictOf = (page: Page) => page.getByRole("region", { name: "Verdict" });
const tagsOf = (page: Page) => page.getByRole("navigation", { name: "Changes by tag" });
const cardsOf = (page: Page) => page.locator("[data-card]");

describe("the page of a change", () => {
  it("says whose it is, where it comes from, and whether it is current", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/scan-runs/${change}`);
    await page.getByRole("heading", { level: 1, name: "bookshop" }).waitFor();
    await page.getByRole("link", { name: "Catalogue team" }).waitFor();
    const hrefOf = (name: string) => page.getByRole("link", { name, exact: true }).getAttribute("href");
    expect(await hrefOf("pull request 812")).toBe(PULL_REQUEST.pullRequestUrl);
    expect(await hrefOf("8587dbd")).toBe(`https://github.com/acme/shop/commit/${PULL_REQUEST.commit}`);
    expect(await hrefOf("nullable-prices")).toBe(`/services/${serviceId}?tab=runs&branch=nullable-prices`);
    await page.getByText("Mira Žák").first().waitFor();
    await page.getByText("It is not the current run of bookshop.").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("says first what breaks, with clients, journeys and gates, and why a gate failed", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/scan-runs/${change}`);
    const verdict = verdictOf(page);
    await verdict.getByText(/^Breaks clients: \d changes$/).waitFor();
    await verdict.getByText("gate --fail-on breaking failed").waitFor();
    await verdict.getByText("Why the gate failed").click();
    await verdict.getByText("DELETE /books/{isbn} was removed").waitFor();
    await verdict.getByText("… and 1 more").waitFor();
    await verdict.getByRole("link", { name: "breaks 1 journey" }).click();
    const journeys = page.getByRole("complementary", { name: "Journeys and timeline" });
    await journeys
      .getByRole("group", { name: "Broken journeys" })
      .getByRole("link", { name: "Clean the shelf" })
      .waitFor();
    await journeys
      .getByRole("group", { name: "Journeys that call what changed" })
      .getByRole("link", { name: "Find a book" })
      .waitFor();
    for (const event of ["Submitted, by key First key", "Compared", "1 of 2 gates failed"])
      await journeys.getByRole("listitem").filter({ hasText: event }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("has a change of a shared schema once, with the operations that use it", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/scan-runs/${change}`);
    const shared = page.getByRole("region", { name: /^Used by \d operations$/ }).first();
    await shared.getByText('The property "price" can now be null').waitFor();
    await shared.getByText(/^The \d operations$/).click();
    await shared.getByRole("link", { name: "/books/{isbn}" }).waitFor();
    expect(await page.getByText(/"price" can now be null: clients/).count()).toBe(1);
    // Before and after have signs, not colours alone.
    await shared
      .getByRole("group", { name: "Before and after" })
      .first()
      .getByText("+", { exact: true })
      .first()
      .waitFor();
    const gone = page.getByRole("region", { name: "DELETE /books/{isbn}" });
    await gone.getByText("−", { exact: true }).waitFor();
    await page.getByRole("region", { name: "POST /orders new" }).waitFor();
    await page
      .getByRole("region", { name: "POST /baskets" })
      .getByText("summary: createBasket of the baskets → Begins a basket")
      .waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("is gone through by tag and by card with the keyboard, and a link keeps the tag", async () => {
    await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
    const { page } = opened;
    await page.goto(`/scan-runs/${change}`);
    const all = tagsOf(page).getByRole("button", { name: /^All changes/ });
    await all.focus();
    await page.keyboard.press("ArrowDown");
    await tagsOf(page)
      .getByRole("button", { name: /^catalogue\b.*\d changes breaking/, pressed: true })
      .and(page.locator(":focus"))
      .waitFor();
    await expect.poll(() => page.getByRole("region", { name: "POST /orders new" }).count()).toBe(0);
    await expect.poll(() => new URL(page.url()).search).toBe("?in=catalogue");
    await page.reload();
    await tagsOf(page)
      .getByRole("button", { name: /^catalogue/, pressed: true })
      .waitFor();
    await page.keyboard.press("j");
    await cardsOf(page).first().and(page.locator(":focus")).waitFor();
    await page.keyboard.press("j");
    await cardsOf(page).nth(1).and(page.locator(":focus")).waitFor();
    await page.keyboard.press("k");
    await cardsOf(page).first().and(page.locator(":focus")).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("shows differences in one column if that is chosen, also after a reload", async () => {
    await using opened = await ui.open({ isNew: true });
    const { page } = opened;
    await page.goto(`/scan-runs/${change}`);
    const difference = page.getByRole("group", { name: "Before and after" }).first();
    expect(await difference.getAttribute("data-view")).toBe("split");
    await page.getByText("Unified", { exact: true }).click();
    await expect.poll(() => difference.getAttribute("data-view")).toBe("unified");
    await page.reload();
    await expect.poll(() => difference.getAttribute("data-view")).toBe("unified");
    expect(opened.complaints).toEqual([]);
  });

  it("unfolds what both descriptions say at the place of a change, which are read only then", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    const read: string[] = [];
    page.on("request", (request) => read.push(...(/\/description\?/.exec(request.url()) ?? [])));
    await page.goto(`/scan-runs/${change}`);
    const added = page.getByRole("listitem").filter({ hasText: "response-required-property-added" });
    await added.waitFor();
    expect(read).toEqual([]);
    await added.getByText("response-required-property-added").click();
    const part = added.getByRole("group", { name: "Before and after" }).last();
    await part.getByText('"author": {').waitFor();
    // On both sides, because it is the same in both.
    await expect.poll(() => part.getByText('"isbn": {').count()).toBe(2);
    expect(read).toHaveLength(2);
    expect(await violationsInBothSchemes(page)).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });

  it("has new findings by rule, each decided in its place", async () => {
    await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
    const { page } = opened;
    await page.goto(`/scan-runs/${change}`);
    const findings = page.getByRole("region", { name: "New findings (4)" });
    await findings.getByText("operation-4xx-response").click();
    await expect.poll(() => findings.getByRole("button", { name: "Decide" }).count()).toBe(3);
    await findings.getByRole("button", { name: "Decide" }).first().click();
    const form = findings.getByRole("form", { name: "Decide about this finding" });
    await form.getByRole("textbox", { name: "Reason" }).fill("Answered by the gateway.");
    await form.getByRole("button", { name: "Decide", exact: true }).click();
    await findings.getByText("Answered by the gateway.").waitFor();
    await expect.poll(() => findings.getByRole("button", { name: "Decide", exact: true }).count()).toBe(2);
    expect(await violationsInBothSchemes(page)).toEqual([]);
    // The key that undoes a decision belongs to the dialog of one finding.
    await page.getByRole("button", { name: /^Approve all/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).focus();
    await page.keyboard.press("u");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await findings.getByText("Answered by the gateway.").waitFor();
    expect(await findings.getByRole("button", { name: "Revoke" }).count()).toBe(1);
    expect(opened.complaints).toEqual([]);
  });

  it("is promoted from a menu, after a confirmation, and never by a first button", async () => {
    await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
    const { page } = opened;
    await page.goto(`/scan-runs/${change}`);
    await verdictOf(page).waitFor();
    expect(await page.getByRole("button", { name: /Promote/ }).count()).toBe(0);
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("button", { name: "Promote this run…" }).click();
    const dialog = page.getByRole("dialog", { name: "Promote this run of bookshop?" });
    await dialog.getByText("which are those of the branch nullable-prices").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(opened.complaints).toEqual([]);
  });

  it("has nothing that axe finds, and fits a phone, where the tags are folded", async () => {
    await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
    const { page } = opened;
    await page.goto(`/scan-runs/${change}`);
    await tagsOf(page).waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    // As a window of 1,280 pixels at 200 %.
    await page.setViewportSize({ width: 640, height: 400 });
    await tagsOf(page).waitFor({ state: "detached" });
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(640);
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    await page.getByText("Changes by tag", { exact: true }).click();
    await page.getByRole("button", { name: /^baskets/ }).click();
    await page.getByText("Changes by tag: baskets").waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(opened.complaints).toEqual([]);
  });
});

it("what broke in a service, and who did it, is one click away from the overview", async () => {
  const { author, commit } = PULL_REQUEST;
  await scanTagged(ui.stack, { serviceName: "till", description: bookshop() });
  const { scanRunId } = await scanTagged(ui.stack, {
    serviceName: "till",
    description: changedBookshop(),
    headers: sourceHeadersOf({ branch: "main", author, commit }),
  });
  await waitUntilCompared(ui.stack, scanRunId);
  await using opened = await ui.open();
  const { page } = opened;
  await page.goto("/");
  await page
    .getByRole("table", { name: "Open", exact: true })
    .getByRole("row")
    .filter({ hasText: "till" })
    .getByRole("link", { name: /\d changes break clients/ })
    .click();
  await verdictOf(page)
    .getByText(/^Breaks clients: \d changes$/)
    .waitFor();
  await page.getByText("Mira Žák").first().waitFor();
  await page.getByRole("region", { name: "DELETE /books/{isbn}" }).waitFor();
  expect(opened.complaints).toEqual([]);
});

describe("the page of a change in other states", () => {
  it("says of a first scan that there is nothing to compare with, and not that all is well", async () => {
    await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
    const { page } = opened;
    await page.goto(`/scan-runs/${first}`);
    await page.getByText("This is the first scan of bookshop").waitFor();
    await verdictOf(page).getByText("Not compared: there is no earlier run").waitFor();
    expect(await verdictOf(page).getAttribute("data-tone")).toBe("open");
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.getByRole("link", { name: "6 endpoints" }).click();
    await page.getByText("6 of 6").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("compares any two runs: what changed the other way round, without journeys, gates and approvals", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/scan-runs/${first}?against=${change}`);
    await verdictOf(page).getByText("Breaks clients:").waitFor();
    await verdictOf(page)
      .getByText("Journeys, gates and approvals are of the comparison with the previous run.")
      .waitFor();
    await page
      .getByRole("region", { name: "POST /orders" })
      .getByText("breaks clients", { exact: true })
      .waitFor();
    await page.getByText(/changes since that run\./).waitFor();
    expect(await page.getByRole("button", { name: /^Approve/ }).count()).toBe(0);
    expect(await page.getByRole("heading", { name: "Journeys" }).count()).toBe(0);
    expect(opened.complaints).toEqual([]);
  });

  it("shows no verdict to a session that may not read it, and whom to ask", async () => {
    await using opened = await ui.open({
      as: await createKey(ui.stack, ["services:read"]),
      context: { reducedMotion: "reduce" },
    });
    const { page } = opened;
    await page.goto(`/scan-runs/${change}`);
    await page
      .getByRole("status")
      .getByText("Your key lacks endpoints:read, so it can't read what changed.")
      .waitFor();
    expect(await verdictOf(page).count()).toBe(0);
    expect(await violationsInBothSchemes(page)).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });

  it("says nothing good before the verdict is there", async () => {
    await using opened = await ui.open({ isNew: true });
    const { page } = opened;
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route("**/changes?*", async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`/scan-runs/${change}`);
    await page.getByLabel("Loading the scan run").waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    expect(await page.getByText("completed").count()).toBe(0);
    answer();
    await verdictOf(page)
      .getByText(/^Breaks clients/)
      .waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("has hundreds of changes: all are counted by tag, and the first cards are shown until more are asked for", async () => {
    const many = (required: boolean) => ({
      ...bookshop(),
      paths: Object.fromEntries(
        Array.from({ length: 600 }, (_, index) => {
          const limit = { name: "limit", in: "query", required, schema: { type: "integer" } };
          const responses = { 204: { description: "Done." } };
          return [`/part${index % 3}/thing${index}`, { get: { parameters: [limit], responses } }];
        }),
      ),
    });
    await scanTagged(ui.stack, { serviceName: "many", description: many(false) });
    const { scanRunId } = await scanTagged(ui.stack, { serviceName: "many", description: many(true) });
    await waitUntilCompared(ui.stack, scanRunId);
    await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
    const { page } = opened;
    await page.goto(`/scan-runs/${scanRunId}`);
    await verdictOf(page)
      .getByText(/^Breaks clients: 600 changes$/)
      .waitFor();
    // Endpoints and findings are the same, which says nothing of the description.
    expect(await page.getByText("no change", { exact: false }).count()).toBe(0);
    await tagsOf(page)
      .getByRole("button", { name: /^\/part2\b.* 200 changes breaking/ })
      .click();
    await expect.poll(() => cardsOf(page).count()).toBe(40);
    await page.getByRole("button", { name: "Show 40 more of 160" }).click();
    await expect.poll(() => cardsOf(page).count()).toBe(80);
    await page.emulateMedia({ media: "print" });
    await page.evaluate(`dispatchEvent(new Event("beforeprint"))`);
    await expect.poll(() => cardsOf(page).count()).toBe(200);
    expect(await page.getByRole("combobox", { name: "Compare with" }).isVisible()).toBe(false);
    await page.evaluate(`dispatchEvent(new Event("afterprint"))`);
    await page.emulateMedia({ media: "screen" });
    await page.getByRole("button", { name: "Approve all 600 changes…" }).waitFor();
    expect(opened.complaints).toEqual([]);
  });
});
