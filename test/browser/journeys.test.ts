import type { StartedJourneyRun } from "@waymark/shared/journey-runs/schema.ts";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import {
  failingJourney,
  type JourneyTarget,
  startJourneyTarget,
  thingsJourney,
} from "@waymark/test-support/journey-target.ts";
import {
  journeyText,
  overlayText,
  sendChangeset,
  storeDocument,
  waitForJourneyRun,
} from "@waymark/test-support/journeys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const PATH = "things.journey.yaml";
const FAILING = "failing.journey.yaml";

let target: JourneyTarget;
let ui: TestConsole;
let environmentId: string;
beforeAll(async () => {
  target = await startJourneyTarget();
  ui = await startConsole({
    workerEnv: { WORKER_ROLES: "scans,journeys", JOURNEY_EGRESS_ALLOW: `127.0.0.1:${target.port}` },
  });
  const files = {
    ...thingsJourney(),
    [FAILING]: thingsJourney({ events: 1 })[PATH]?.replace("$statusCode == 201", "$statusCode == 299") ?? "",
    "short.overlay.yaml": overlayText("short", "gone.journey.yaml"),
  };
  const changes = Object.entries(files).map(([path, text]) => ({ path, text, baseVersion: null }));
  await sendChangeset(ui.stack, { message: "First", changes });
  const servers = { things: target.url };
  const created = await ui.stack.http.post<{ id: string }>("/api/environments", { name: "test", servers });
  environmentId = created.body.id;
}, 180_000);
afterAll(async () => {
  await ui[Symbol.asyncDispose]();
  await target[Symbol.asyncDispose]();
});

async function startRun(path: string, inputs: Record<string, string> = { run: "r" }): Promise<string> {
  const request = { path, environmentId, inputs };
  const { body } = await ui.stack.http.post<StartedJourneyRun>("/api/journey-runs", request);
  return body.runId;
}

const waitForEnd = (runId: string) => waitForJourneyRun(ui.stack, runId);

/** The link to a journey in the list, which has titles and, below them, paths. */
const linkOf = (page: Page, path: string) =>
  page
    .getByRole("row")
    .filter({ has: page.getByText(path, { exact: true }) })
    .getByRole("link")
    .first();

describe("journeys", () => {
  it("are listed with their kind and their last run, which leads to it", async () => {
    const runId = await startRun(PATH);
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto("/journeys");
    await page.getByText("4 of 4").waitFor();
    await page.getByRole("cell", { name: "variant of gone.journey.yaml" }).waitFor();
    const row = page.getByRole("row").filter({ hasText: PATH });
    // The list is read again while a run is under way.
    await row.getByText("passed").waitFor();
    await row.getByText("in test", { exact: true }).waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.getByLabel("Search").fill("failing");
    await page.getByText("1 of 4").waitFor();
    await page.getByLabel("Search").fill("");
    await row.getByRole("link", { name: /just now|ago/ }).click();
    await page.waitForURL(`**/journey-runs/${runId}`);
    expect(opened.complaints).toEqual([]);
  });

  it("show their runs, text, versions and links", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto("/journeys");
    await linkOf(page, FAILING).click();
    await page.getByText("No run yet.").waitFor();
    await page.getByRole("tab", { name: "Text" }).click();
    await page.getByLabel("Text of version 1").getByText("workflowId: main").waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.getByRole("tab", { name: "Versions (1)" }).click();
    await page.getByRole("cell", { name: "First", exact: true }).waitFor();
    await page.getByRole("tab", { name: "Links (1)" }).click();
    await page.getByRole("link", { name: "things.openapi.yaml" }).click();
    await page.getByRole("tab", { name: "Links (2)" }).click();
    await page.getByRole("link", { name: FAILING }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("have a run page that is live: each step appears as it ends, without a reload", async () => {
    const add = target.hold("add0");
    const runId = await startRun(PATH);
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/journey-runs/${runId}`);
    const steps = page.getByRole("list", { name: "Steps of the run" }).getByRole("listitem");
    await steps.filter({ hasText: "create" }).waitFor();
    expect(await page.getByText("passed", { exact: true }).count()).toBe(0);
    add.release();
    await page.getByText("passed", { exact: true }).waitFor();
    await steps.filter({ hasText: "remove" }).first().waitFor();
    await page.getByRole("link", { name: "junit" }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("open the first step that failed, with what was expected, its place, request and response", async () => {
    const runId = await startRun(FAILING);
    await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
    const { page } = opened;
    await page.goto(`/journey-runs/${runId}`);
    await page.getByText("failed", { exact: true }).first().waitFor();
    await page.getByText("$statusCode == 299").waitFor();
    const alert = page.getByRole("alert").filter({ hasText: /^Failed at step [0-9]+, / });
    await alert.getByText("$statusCode is 201, expected 299").waitFor();
    await page.getByText("Run in test, ").waitFor();
    await page.getByText(`${FAILING}:`).waitFor();
    await page.getByText(/"token"/).waitFor();
    await page.getByRole("tab", { name: "Request" }).click();
    await page.getByText(/^POST http/).waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page
      .getByText(/^Agrees with the description: status/)
      .first()
      .waitFor();
    await page.getByText(/^(cli|api), by the key /).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("give the request of a step as a command of curl", async () => {
    const runId = await startRun(PATH);
    await waitForEnd(runId);
    await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
    const { page } = opened;
    await page.goto(`/journey-runs/${runId}`);
    await page.getByRole("button", { name: /^passed ?read/ }).click();
    await page.getByRole("tab", { name: "curl" }).click();
    const command = page.getByLabel("Command of curl");
    await command.filter({ hasText: /^curl --request GET 'http:.*step=read/ }).waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });

  it("show the request and the response of each attempt of a step, the last one first", async () => {
    const path = "retried.journey.yaml";
    const { text, repair } = failingJourney(target);
    const retried = text.replace('", method', '?step=retried", method');
    const action = "        onFailure: [{ name: again, type: retry, retryLimit: 2 }]\n";
    await storeDocument(ui.stack, { path, text: retried + action });
    const first = target.hold("retried");
    const runId = await startRun(path, {});
    await first.reached(1);
    first.release();
    const second = target.hold("retried");
    await second.reached(2);
    // The thing exists for the third attempt only.
    repair();
    second.release();
    await waitForEnd(runId);
    await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
    const { page } = opened;
    await page.goto(`/journey-runs/${runId}`);
    await page.getByRole("button", { name: /^passed ?read/ }).click();
    await page.getByText(/^200 OK/).waitFor();
    const earlier = page.locator("summary").filter({ hasText: /^Attempt/ });
    expect(await earlier.allTextContents()).toEqual(["Attempt 2, response 404", "Attempt 1, response 404"]);
    const attempt = earlier.last().locator("..");
    await earlier.last().click();
    await attempt.getByText(/^404 Not Found/).waitFor();
    await attempt.getByRole("tab", { name: "Request" }).click();
    await attempt.getByText(/^GET http.*step=retried/).waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });

  it("say what used the outputs of a step, and lead to it", async () => {
    const runId = await startRun(PATH);
    await waitForEnd(runId);
    await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
    const { page } = opened;
    await page.goto(`/journey-runs/${runId}`);
    const step = (name: string) => page.getByRole("button", { name: new RegExp(`^passed ?${name}`) });
    await step("create").click();
    const outputs = page.getByRole("listitem").filter({ hasText: /^token:/ });
    await outputs.getByText("used by nothing").waitFor();
    await page
      .getByText(/used by step add0 \(parameter id\), step add1 .*the journey \(teardown\)/)
      .waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.getByRole("link", { name: "read", exact: true }).click();
    await step("read").and(page.locator(":focus")).waitFor();
    expect(await step("read").getAttribute("aria-expanded")).toBe("true");
    await page.reload();
    await step("read").and(page.locator(":focus")).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("are compared with an earlier run: which step and which assertion began to differ, and where it is written", async () => {
    // A journey of its own, because it is changed.
    const path = "compared.journey.yaml";
    const right = thingsJourney()[PATH] ?? "";
    const store = (text: string, baseVersion: number | null) =>
      sendChangeset(ui.stack, { message: "Compared", changes: [{ path, text, baseVersion }] });
    await store(right, null);
    const first = await startRun(path);
    await waitForEnd(first);
    const before = await startRun(path);
    await waitForEnd(before);
    await store(right.replace("$statusCode == 201", "$statusCode == 299"), 1);
    const after = await startRun(path);
    await waitForEnd(after);
    await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
    const { page } = opened;
    await page.goto(`/journey-runs/${after}?against=${before}`);
    const comparison = page.getByRole("region", { name: "Compare" });
    await comparison.getByText("different programs: version 1 there, version 2 here").waitFor();
    const step = comparison.getByRole("listitem").first();
    await step.getByText("create", { exact: true }).waitFor();
    await step.getByText("$statusCode == 299").waitFor();
    await step.getByText("Actual: 201").waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.getByText(`waymark journey run --replay ${after}`).waitFor();

    await page
      .getByRole("link", { name: new RegExp(`^${path}:[0-9]+$`) })
      .first()
      .click();
    const line = page.locator("mark");
    await line.getByText("$statusCode == 299").waitFor();
    await page.waitForURL(/version=2/);
    expect(await violationsInBothSchemes(page)).toEqual([]);

    await page.goto(`/journey-runs/${before}`);
    await page.getByRole("combobox", { name: "Compare with another run" }).click();
    await page
      .getByRole("option", { name: /passed/ })
      .first()
      .click();
    await comparison.getByText("Every step and assertion went as in that run.").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("are flaky if the same program failed directly before, with a link to what went differently", async () => {
    const path = "flaky.journey.yaml";
    const { text, repair } = failingJourney(target);
    await storeDocument(ui.stack, { path, text });
    const run = async () => {
      const runId = await startRun(path, {});
      await waitForEnd(runId);
      return runId;
    };
    const failed = await run();
    repair();
    const passed = await run();
    await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
    const { page } = opened;
    await page.goto(`/journey-runs/${passed}`);
    const flaky = page.getByRole("status").filter({ hasText: "The same program" });
    const before = flaky.getByRole("link", { name: "failed directly before" });
    expect(await before.getAttribute("href")).toBe(`/journey-runs/${failed}`);
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await flaky.getByRole("link", { name: "Compare both runs" }).click();
    await page
      .getByRole("region", { name: "Compare" })
      .getByText("1 step went differently than in that run.")
      .waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("show which steps, fields and lines a version changed, since the one before it or since another", async () => {
    const path = "versions.journey.yaml";
    const texts = ["One", "Two", "Three"].map((title) => journeyText(title));
    for (const [at, text] of texts.entries())
      await sendChangeset(ui.stack, { changes: [{ path, text, baseVersion: at === 0 ? null : at }] });
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto("/journeys");
    await linkOf(page, path).click();
    await page.getByRole("tab", { name: "Versions (3)" }).click();
    await page.getByRole("link", { name: "since version 2" }).click();
    const changes = page.getByRole("region", { name: "Changes of version 3" });
    const changed = changes.getByRole("table", { name: "Changes by steps and fields" }).getByRole("row");
    await changed.filter({ hasText: "info.title" }).getByText("Two").waitFor();
    await changes.getByText(/^- info: { title: Two/).waitFor();
    await changes.getByText(/^\+ info: { title: Three/).waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await changes.getByRole("combobox", { name: "Since version" }).click();
    await page.getByRole("option", { name: "1", exact: true }).click();
    await changes.getByText(/^- info: { title: One/).waitFor();
    await page.reload();
    await changes.getByText(/^- info: { title: One/).waitFor();
    await changed.filter({ hasText: "info.title" }).getByText("One").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("are listed as a tree with their tags: a variant is below its base, and further to the right", async () => {
    const text = overlayText("tree", "tree.journey.yaml");
    await storeDocument(ui.stack, { path: "tree.journey.yaml", text: journeyText("Tree") });
    await storeDocument(ui.stack, { path: "a-variant.overlay.yaml", text });
    await using opened = await ui.open();
    const { page } = opened;
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto("/journeys?q=tree.journey");
      await page.getByText("1 of ").waitFor();
      await page.getByLabel("Search").fill("");
      const boxOf = async (name: string) => (await linkOf(page, name).boundingBox()) ?? { x: 0, y: 0 };
      const [base, variant] = [await boxOf("tree.journey.yaml"), await boxOf("a-variant.overlay.yaml")];
      expect(variant.x).toBeGreaterThan(base.x + 10);
      expect(variant.y).toBeGreaterThan(base.y);
      await page
        .getByRole("row")
        .filter({ hasText: "tree.journey.yaml" })
        .first()
        .getByText("smoke")
        .waitFor();
    }
    expect(await violationsInBothSchemes(page)).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });

  it("are cancelled and run again from the page of a run, and only by keys that may", async () => {
    const add = target.hold("add0");
    const runId = await startRun(PATH);
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/journey-runs/${runId}`);
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("aborted", { exact: true }).waitFor();
    add.release();
    await page.getByRole("button", { name: "Run again", exact: true }).click();
    await page.getByRole("link", { name: "an earlier run" }).waitFor();
    await page.getByText("passed", { exact: true }).waitFor();
    expect(opened.complaints).toEqual([]);

    const reader = await createKey(ui.stack, ["journeys:read"]);
    await using other = await ui.open({ as: reader });
    await other.page.goto(`/journey-runs/${runId}`);
    await other.page.getByText("aborted", { exact: true }).waitFor();
    expect(await other.page.getByRole("button", { name: "Run again" }).count()).toBe(0);
  });
});
