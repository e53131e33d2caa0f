import { startConsole, type TestConsole } from "@waymark/test-support/console.ts";
import { scanOf } from "@waymark/test-support/journey-coverage/shop.ts";
import { type JourneyTarget, startJourneyTarget } from "@waymark/test-support/journey-target.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";

let target: JourneyTarget;
let ui: TestConsole;
beforeAll(async () => {
  target = await startJourneyTarget();
  ui = await startConsole({
    workerEnv: { WORKER_ROLES: "scans,journeys", JOURNEY_EGRESS_ALLOW: `127.0.0.1:${target.port}` },
  });
  await ui.scan(scanOf("things", ["POST /things", "GET /things/{id}", "DELETE /things/{id}"]));
  const environment = { name: "staging", servers: { things: target.url } };
  await ui.stack.http.post("/api/environments", environment);
}, 180_000);
afterAll(async () => {
  await ui[Symbol.asyncDispose]();
  await target[Symbol.asyncDispose]();
});

async function save(page: Page, version: number): Promise<void> {
  await page.getByRole("button", { name: "Save…" }).click();
  await page.getByText("No other document refers to this one.").waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText(`As version ${version}`, { exact: true }).waitFor();
}

/** Starts a run and waits for its end: steps end before it, and coverage counts runs that have ended. */
async function run(page: Page, outcome: string): Promise<void> {
  await page.getByRole("button", { name: "Run…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Run", exact: true }).click();
  // It goes on beside the steps.
  await page
    .getByRole("button", { name: /^2 ?read/ })
    .getByText(outcome, { exact: true })
    .waitFor();
  await page.getByRole("link", { name: "Open the run" }).click();
  await page.waitForURL("**/journey-runs/*");
  await page.getByRole("link", { name: "junit" }).waitFor();
}

it("a newcomer's tour: from a scanned service to a proven criterion, by way of a failure", async () => {
  await using opened = await ui.open({ as: null });
  const { page } = opened;
  await page.goto("/journeys");
  await page.getByLabel("API key").fill(ui.stack.apiKey);
  await page.getByRole("button", { name: "Sign in" }).click();

  // A new journey of a service that was scanned.
  await page.getByRole("link", { name: "New journey" }).click();
  await page.getByRole("combobox", { name: "Service" }).click();
  await page.getByRole("option", { name: "things" }).click();
  await page.getByRole("combobox", { name: "It covers" }).click();
  await page.getByRole("option", { name: "The life of one of /things" }).click();
  await page.getByRole("button", { name: "Make it" }).click();

  // An edit as steps: an assertion with an id, which doesn't hold.
  await page.getByRole("button", { name: /^2 ?read/ }).click();
  await page.getByRole("button", { name: "Add an assertion" }).click();
  await expect.poll(() => page.getByLabel("Condition", { exact: true }).count()).toBe(2);
  const condition = page.getByLabel("Condition", { exact: true }).last();
  await condition.fill("$response.body#/id == 'nobody'");
  await condition.press("Enter");
  const id = page.getByRole("group", { name: "Assertions" }).getByLabel("Id").last();
  await id.fill("named");
  await id.press("Enter");

  // An edit as text, which shows the step that was open.
  await page.getByRole("button", { name: "YAML" }).click();
  await page.locator(".cm-activeLine", { hasText: /stepId: read$/ }).waitFor();
  await page.getByRole("textbox", { name: /^Text of/ }).click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("# Things are found by their id.\n");

  // An acceptance criterion, which the assertion proves.
  await page.getByRole("button", { name: "Visual" }).click();
  await page.getByRole("button", { name: "Add an acceptance criterion" }).click();
  await expect.poll(() => page.getByLabel("What must hold").count()).toBe(4);
  const criterion = page.getByLabel("What must hold").last();
  await criterion.fill("A thing is found by its id");
  await criterion.press("Enter");
  await page
    .getByLabel(/^Proofs of/)
    .last()
    .selectOption("Add read#named");
  await save(page, 2);

  // A run, which fails at the assertion.
  await run(page, "failed");
  await page.getByText("failed", { exact: true }).first().waitFor();
  await page.getByText("$response.body#/id == 'nobody'").first().waitFor();
  // Where it is written, in the version that was run.
  await page
    .getByRole("link", { name: /^life-of-things\.journey\.yaml:[0-9]+$/ })
    .last()
    .click();
  await page.waitForURL(/version=2&line=[0-9]+$/);
  await page.getByText("condition: $response.body#/id == 'nobody'").first().waitFor();
  await page.getByRole("link", { name: "Coverage" }).click();
  const proof = page.getByRole("table", { name: "Acceptance criteria" }).getByRole("row");
  await proof.filter({ hasText: "A thing is found" }).getByText("failed", { exact: true }).waitFor();

  // The fix, where the run leads to.
  await page.goBack();
  await page.goBack();
  await page.waitForURL("**/journey-runs/*");
  await page.getByRole("link", { name: "Edit this step" }).click();
  await page.waitForURL("**/edit?step=read");
  await expect.poll(() => page.getByLabel("Condition", { exact: true }).count()).toBe(2);
  const wrong = page.getByLabel("Condition", { exact: true }).last();
  await wrong.fill("$response.body#/id == $steps.create.outputs.id");
  await wrong.press("Enter");
  await save(page, 3);
  await run(page, "passed");

  await page.getByRole("link", { name: "Coverage" }).click();
  await proof.filter({ hasText: "A thing is found" }).getByText("proven", { exact: true }).waitFor();
  await page.getByRole("list", { name: "Totals" }).getByText("4 of 4, 100 %").first().waitFor();
  expect(opened.complaints).toEqual([]);
}, 300_000);
