import type { CurrentFinding } from "@waymark/shared/scans/current-findings/schema.ts";
import { DECISION_LIMITS } from "@waymark/shared/scans/finding-decisions/limits.ts";
import type { NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { listAllFindings } from "@waymark/test-support/findings.ts";
import { holdRequests } from "@waymark/test-support/hold-requests.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { storeTeam, storeUser } from "@waymark/test-support/principals.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";

let ui: TestConsole;
beforeAll(async () => {
  ui = await startConsole();
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

/** Scans a service with findings that all have a fingerprint of their own. */
async function scanFindings(serviceName: string, count: number, first = 0): Promise<string> {
  const findings = Array.from({ length: count }, (_, place): NormalizedFinding => {
    const index = first + place;
    return {
      severity: index < 2 ? "critical" : "high",
      code: index < 2 ? "no-auth" : "no-example",
      message: `Finding ${index} of ${serviceName}.`,
      method: "GET",
      path: `/${"a".repeat(index + 1)}`,
    };
  });
  const { serviceId } = await ui.scan({ ...scanPayload({ serviceName, endpoints: 1 }), findings });
  return serviceId;
}

const findingsOf = (serviceId: string) => listAllFindings(ui.stack, { serviceId });
const count = (findings: readonly CurrentFinding[], isSo: (finding: CurrentFinding) => boolean) =>
  findings.filter(isSo).length;
const isDecided = ({ decision }: CurrentFinding) => decision !== null;

/** A person at the keyboard, whose presses are counted. */
function keysOf(page: Page) {
  let presses = 0;
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
    presses += keys.length;
  };
  const type = async (text: string) => {
    await page.keyboard.type(text);
    presses += text.length;
  };
  return { press, type, presses: () => presses };
}

const bar = (page: Page) => page.getByRole("region", { name: "Selected findings" });

async function openFindings(page: Page, search: string, countText: string): Promise<void> {
  await page.goto(`/findings?${search}`);
  await page.getByRole("status").getByText(countText, { exact: true }).waitFor();
}

it("twenty findings get three decisions by keyboard, in at most 80 presses, and one of them is undone", async () => {
  const serviceId = await scanFindings("orders", 20);
  await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
  const { page } = opened;
  await openFindings(page, `serviceId=${serviceId}&state=open`, "20 findings");
  const keys = keysOf(page);
  const started = performance.now();
  const dialog = page.getByRole("dialog", { name: /^Decide about/ });
  const decide = async (key: string, reason: string, left: string) => {
    await keys.press(key);
    await dialog.getByRole("textbox", { name: "Reason" }).and(page.locator(":focus")).waitFor();
    await keys.type(reason);
    await keys.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("status").getByText(left, { exact: true }).waitFor();
  };
  // The first two one by one, the next ten with Shift, and the rest at once.
  await keys.press("x", "ArrowDown", "x");
  await bar(page).getByText("2 findings selected", { exact: true }).waitFor();
  await decide("a", "by the end of May", "18 findings");
  await keys.press("x", ...Array.from({ length: 9 }, () => "Shift+ArrowDown"));
  await bar(page).getByText("10 findings selected", { exact: true }).waitFor();
  await decide("f", "generated", "8 findings");
  await keys.press("x", "Control+a");
  await bar(page).getByText("8 findings selected", { exact: true }).waitFor();
  await decide("w", "old API", "0 findings");
  const seconds = (performance.now() - started) / 1000;
  process.stdout.write(`20 findings: ${keys.presses()} presses, ${seconds.toFixed(1)} s\n`);
  expect(keys.presses()).toBeLessThanOrEqual(80);
  const decided = await findingsOf(serviceId);
  const kinds = Object.groupBy(decided, ({ decision }) => decision?.kind ?? "none");
  expect(Object.entries(kinds).map(([kind, { length }]) => [kind, length])).toEqual([
    ["accepted_risk", 2],
    ["false_positive", 10],
    ["wont_fix", 8],
  ]);
  await bar(page).getByText("8 findings decided: won't fix.").waitFor();
  await page.keyboard.press("u");
  await bar(page).getByText("Undone: 8 decisions revoked.").waitFor();
  await page.getByRole("status").getByText("8 findings", { exact: true }).waitFor();
  expect(count(await findingsOf(serviceId), isDecided)).toBe(12);
  expect(opened.complaints).toEqual([]);
}, 120_000);

it("rows are selected with the mouse, between two with Shift, and only what the list still has is changed", async () => {
  const serviceId = await scanFindings("payments", 12);
  await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
  const { page } = opened;
  await openFindings(page, `serviceId=${serviceId}`, "12 findings");
  const checkbox = (index: number) =>
    page.getByRole("checkbox", { name: `Select: Finding ${index} of payments.`, exact: true });
  await checkbox(2).click();
  await checkbox(5).click({ modifiers: ["Shift"] });
  await bar(page).getByText("4 findings selected", { exact: true }).waitFor();
  await checkbox(3).click();
  await bar(page).getByText("3 findings selected", { exact: true }).waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  await page.setViewportSize({ width: 1280, height: 800 });
  await bar(page).getByRole("button", { name: "Decide…" }).click();
  const dialog = page.getByRole("dialog", { name: "Decide about 3 findings" });
  await dialog.getByRole("textbox", { name: "Reason" }).fill("known");
  await dialog.getByRole("combobox", { name: "Decision" }).selectOption("false positive");
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Decide", exact: true }).click();
  await bar(page).getByText("3 findings decided: false positive.", { exact: true }).waitFor();
  expect(count(await findingsOf(serviceId), isDecided)).toBe(3);
  // Deciding again says what it replaces, before and after.
  await page.getByRole("checkbox", { name: "Select all: 12 findings" }).click();
  await bar(page).getByText("12 findings selected", { exact: true }).waitFor();
  await bar(page).getByRole("button", { name: "Decide…" }).click();
  const again = page.getByRole("dialog", { name: "Decide about 12 findings" });
  await again.getByText("3 of them have one, which this replaces.").waitFor();
  await again.getByRole("button", { name: "Decide", exact: true }).click();
  await bar(page).getByText("replaced 3 earlier decisions, which undoing does not bring back").waitFor();
  // Another filter is another list: nothing is selected that is not shown.
  await page.getByRole("checkbox", { name: "Select all: 12 findings" }).click();
  await page.getByRole("button", { name: /^critical/ }).click();
  await page.getByRole("status").getByText("2 findings", { exact: true }).waitFor();
  expect(await page.getByRole("checkbox", { checked: true }).count()).toBe(0);
  await checkbox(0).click();
  await bar(page).getByText("1 finding selected", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await bar(page).getByText("selected").waitFor({ state: "detached" });
  expect(opened.complaints).toEqual([]);
}, 120_000);

it("all that match are selected, up to what one request changes, and it says how many that are", async () => {
  const [big, other] = [await scanFindings("big", 350), await scanFindings("bigger", 350)];
  await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
  const { page } = opened;
  await openFindings(page, `serviceId=${big}`, "350 findings");
  await page.getByRole("checkbox", { name: "Select all: 200 findings" }).click();
  await bar(page).getByText("200 findings selected", { exact: true }).waitFor();
  await bar(page).getByRole("button", { name: "Select all 350 that match" }).click();
  await bar(page).getByText("350 findings selected", { exact: true }).waitFor();
  await page.goto("/findings?code=no-example");
  await page.getByRole("checkbox", { name: "Select all: 200 findings" }).click();
  await bar(page)
    .getByRole("button", { name: /^Select the first 500 of / })
    .click();
  await bar(page).getByText("500 findings selected", { exact: true }).waitFor();
  await bar(page)
    .getByText(/^The first 500 of .* At most 500 findings are changed at once\./)
    .waitFor();
  await bar(page).getByRole("button", { name: "Decide…" }).click();
  const dialog = page.getByRole("dialog", { name: "Decide about 500 findings" });
  await dialog.getByRole("textbox", { name: "Reason" }).fill("known");
  await dialog.getByRole("button", { name: "Decide", exact: true }).click();
  await bar(page)
    .getByText(/^500 findings decided: accepted risk\./)
    .waitFor();
  const decided = async () => count([...(await findingsOf(big)), ...(await findingsOf(other))], isDecided);
  expect(await decided()).toBeGreaterThanOrEqual(DECISION_LIMITS.perRequestMax - 30);
  await bar(page).getByRole("button", { name: "Undo" }).click();
  await bar(page).getByText("Undone: 500 decisions revoked.").waitFor();
  expect(await decided()).toBe(0);
  expect(opened.complaints).toEqual([]);
}, 180_000);

it("a name that is typed before the list has loaded assigns nothing", async () => {
  const ada = await storeUser(ui.stack, { displayName: "Ada", roles: ["developer"] });
  await storeTeam(ui.stack, "payouts");
  const serviceId = await scanFindings("typed", 2);
  await using opened = await ui.open({ as: ada.rawKey, isNew: true, context: { reducedMotion: "reduce" } });
  const { page } = opened;
  await openFindings(page, `serviceId=${serviceId}`, "2 findings");
  const list = await holdRequests(page, /\/assets\/select-list/);
  await page.keyboard.press("x");
  await page.keyboard.press("Control+a");
  await page.keyboard.press("i");
  const dialog = page.getByRole("dialog", { name: "Assign 2 findings" });
  await dialog.getByRole("combobox", { name: "Assign to" }).focus();
  await page.keyboard.type("payouts");
  await page.keyboard.press("Enter");
  await list.letGo();
  await page.getByRole("option", { name: "payouts (team)" }).waitFor();
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Assign", exact: true }).click();
  await bar(page)
    .getByText(/assigned to payouts/)
    .waitFor();
  expect((await findingsOf(serviceId)).map(({ assignee }) => assignee?.displayName)).toEqual([
    "payouts",
    "payouts",
  ]);
});

it("several findings are assigned, and given back to those who had them", async () => {
  const serviceId = await scanFindings("refunds", 4);
  for (const team of ["refunds", "checkout"]) await storeTeam(ui.stack, team);
  const ada = await storeUser(ui.stack, { displayName: "Ada", roles: ["developer"] });
  const [first] = await findingsOf(serviceId);
  if (first === undefined) throw new Error("no finding");
  const { code, method, path, message } = first;
  await ui.stack.http.request("PUT", "/api/finding-assignments", {
    body: { serviceId, code, finding: { method, path, message }, team: "refunds" },
  });
  await using opened = await ui.open({ as: ada.rawKey, context: { reducedMotion: "reduce" } });
  const { page } = opened;
  await openFindings(page, `serviceId=${serviceId}`, "4 findings");
  await page.keyboard.press("x");
  await page.keyboard.press("Control+a");
  await page.keyboard.press("i");
  const dialog = page.getByRole("dialog", { name: "Assign 4 findings" });
  await dialog.getByRole("combobox", { name: "Assign to" }).waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  // Closes the dialog, and nothing else.
  await dialog.getByRole("button", { name: "Cancel" }).focus();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await bar(page).getByText("4 findings selected").waitFor();
  await page.keyboard.press("i");
  await dialog.getByRole("button", { name: "Assign", exact: true }).click();
  await bar(page).getByText("4 findings assigned to me.", { exact: true }).waitFor();
  const names = async () =>
    (await findingsOf(serviceId)).map(({ assignee }) => assignee?.displayName ?? null);
  expect(await names()).toEqual(["Ada", "Ada", "Ada", "Ada"]);
  await page.keyboard.press("u");
  await bar(page).getByText("Undone: 4 findings assigned as before.").waitFor();
  expect(await names()).toEqual(["refunds", null, null, null]);
  // A colleague assigns some of them before it is undone.
  const others = [first, ...(await findingsOf(serviceId)).slice(1, 3)];
  await page.keyboard.press("x");
  await page.keyboard.press("Control+a");
  await page.keyboard.press("i");
  await dialog.getByRole("button", { name: "Assign", exact: true }).click();
  await bar(page).getByText("4 findings assigned to me.", { exact: true }).waitFor();
  await ui.stack.http.request("POST", "/api/finding-assignment-batches", {
    body: {
      findings: others.map((other) => ({
        serviceId,
        code: other.code,
        finding: { method: other.method, path: other.path, message: other.message },
      })),
      assignee: { team: "checkout" },
    },
  });
  await page.keyboard.press("u");
  await bar(page).getByText("Undone, except for 3 findings whose assignee has been changed since.").waitFor();
  expect(await names()).toEqual(["checkout", "checkout", "checkout", null]);
  expect(opened.complaints).toEqual([]);
}, 120_000);

it("the place in the list is kept when a finding is closed, and a link leads past the filters", async () => {
  const serviceId = await scanFindings("carts", 6);
  await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
  const { page } = opened;
  await openFindings(page, `serviceId=${serviceId}`, "6 findings");
  const dialog = page.getByRole("dialog", { name: "Finding" });
  const openerOf = (index: number) => page.getByRole("button", { name: `Finding ${index} of carts.` });
  for (const index of [0, 1, 2]) {
    await page.keyboard.press("j");
    await dialog.getByText(`Finding ${index} of carts.`).waitFor();
  }
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await openerOf(2).and(page.locator(":focus")).waitFor();
  await page.keyboard.press("j");
  await dialog.getByText("Finding 3 of carts.").waitFor();
  await page.goBack();
  await dialog.waitFor({ state: "detached" });
  await openerOf(3).and(page.locator(":focus")).waitFor();
  await page.keyboard.press("k");
  await dialog.getByText("Finding 2 of carts.").waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  const skip = page.getByRole("link", { name: "Skip to the findings" });
  await skip.focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await page.getByRole("combobox", { name: "Assigned to" }).and(page.locator(":focus")).waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  expect(opened.complaints).toEqual([]);
}, 60_000);

it("an open dialog keeps its findings and what is typed while a new scan takes some of them away", async () => {
  const serviceId = await scanFindings("trips", 5);
  await using opened = await ui.open({ isNew: true, context: { reducedMotion: "reduce" } });
  const { page } = opened;
  await page.clock.install();
  const search = `serviceId=${serviceId}&state=open`;
  await openFindings(page, search, "5 findings");
  for (const index of [1, 2])
    await page.getByRole("checkbox", { name: `Select: Finding ${index} of trips.`, exact: true }).click();
  const decide = bar(page).getByRole("button", { name: "Decide…" });
  const dialog = page.getByRole("dialog", { name: "Decide about 2 findings" });
  const reason = dialog.getByRole("textbox", { name: "Reason" });
  const batches = "**/api/finding-decision-batches";
  await page.route(batches, (route) => route.abort());
  await decide.click();
  await reason.fill("known");
  await dialog.getByRole("button", { name: "Decide", exact: true }).click();
  await dialog.getByText("Nothing was decided").waitFor();
  await page.unroute(batches);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  await decide.click();
  await reason.fill("typed");
  // The failure before says nothing about this try.
  expect(await dialog.getByRole("alert").count()).toBe(0);
  const lookAgain = async (countText: string) => {
    await page.clock.fastForward(11_000);
    await page.evaluate(`dispatchEvent(new Event("visibilitychange"))`);
    await page.locator("[role=status]").getByText(countText, { exact: true }).waitFor();
  };
  await scanFindings("trips", 3, 2);
  await lookAgain("3 findings");
  expect(await reason.inputValue()).toBe("typed");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await bar(page).getByText("1 finding selected", { exact: true }).waitFor();
  // Also where none of them is left.
  await decide.click();
  const alone = page.getByRole("dialog", { name: "Decide about 1 finding" });
  await alone.getByRole("textbox", { name: "Reason" }).fill("typed");
  await scanFindings("trips", 2, 3);
  await lookAgain("2 findings");
  expect(await alone.getByRole("textbox", { name: "Reason" }).inputValue()).toBe("typed");
  await alone.getByRole("button", { name: "Cancel" }).click();
  await alone.waitFor({ state: "detached" });
  await page.getByRole("checkbox", { name: "Select: Finding 3 of trips.", exact: true }).click();
  await bar(page).getByText("1 finding selected", { exact: true }).waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
  expect(opened.complaints).toEqual([]);
}, 120_000);

it("the place in the list is kept when the finding in it was decided", async () => {
  const serviceId = await scanFindings("stays", 6);
  await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
  const { page } = opened;
  await openFindings(page, `serviceId=${serviceId}&state=open`, "6 findings");
  const dialog = page.getByRole("dialog", { name: "Finding" });
  for (const index of [0, 1, 2]) {
    await page.keyboard.press("j");
    await dialog.getByText(`Finding ${index} of stays.`).waitFor();
  }
  await dialog.getByRole("button", { name: "Decide", exact: true }).waitFor();
  await page.keyboard.press("f");
  await dialog.getByRole("textbox", { name: "Reason" }).and(page.locator(":focus")).waitFor();
  await page.keyboard.type("generated");
  await page.keyboard.press("Enter");
  await page.locator("[role=status]").getByText("5 findings", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  const next = page.getByRole("button", { name: "Finding 3 of stays." });
  await next.and(page.locator(":focus")).waitFor();
  await page.keyboard.press("j");
  await dialog.getByText("Finding 3 of stays.").waitFor();
  expect(opened.complaints).toEqual([]);
}, 60_000);

it("a key that may not decide has no checkboxes", async () => {
  const serviceId = await scanFindings("readers", 3);
  const key = await createKey(ui.stack, ["services:read", "endpoints:read"]);
  await using opened = await ui.open({ as: key, context: { reducedMotion: "reduce" } });
  await openFindings(opened.page, `serviceId=${serviceId}`, "3 findings");
  await opened.page.getByRole("row", { name: /Finding 0 of readers/ }).waitFor();
  await opened.page.keyboard.press("x");
  expect(await opened.page.getByRole("checkbox").count()).toBe(0);
  expect(opened.complaints).toEqual([]);
});
