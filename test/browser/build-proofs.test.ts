import type { StartedJourneyRun } from "@waymark/shared/journey-runs/schema.ts";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import {
  type JourneyTarget,
  startJourneyTarget,
  thingsJourney,
} from "@waymark/test-support/journey-target.ts";
import { sendChangeset } from "@waymark/test-support/journeys.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";

let target: JourneyTarget;
let ui: TestConsole;
let journeyId: string;
let environmentId: string;
beforeAll(async () => {
  target = await startJourneyTarget();
  ui = await startConsole({
    workerEnv: { WORKER_ROLES: "scans,journeys", JOURNEY_EGRESS_ALLOW: `127.0.0.1:${target.port}` },
  });
  const files = { [OPENAPI]: thingsJourney()[OPENAPI] ?? "", [PATH]: TEXT };
  const changes = Object.entries(files).map(([path, text]) => ({ path, text, baseVersion: null }));
  const stored = await sendChangeset(ui.stack, { changes });
  journeyId = stored.body.documents.find(({ path }) => path === PATH)?.id ?? "";
  const environment = { name: "test", servers: { things: target.url } };
  environmentId = (await ui.stack.http.post<{ id: string }>("/api/environments", environment)).body.id;
}, 180_000);
afterAll(async () => {
  await ui[Symbol.asyncDispose]();
  await target[Symbol.asyncDispose]();
});

const OPENAPI = "things.openapi.yaml";
const PATH = "proven.journey.yaml";
const ID = "parameters: [{ name: id, in: path, value: $steps.create.outputs.id }]";
/** Its first criterion holds, its second doesn't, and its third is not come to. */
const TEXT = `arazzo: 1.1.0
info: { title: Proven, version: 1.0.0 }
sourceDescriptions: [{ name: things, type: openapi, url: ${OPENAPI} }]
workflows:
  - workflowId: main
    steps:
      - stepId: create
        operationId: create
        successCriteria: [{ x-id: made, condition: $statusCode == 201 }]
        outputs: { id: $response.body#/id }
      - { stepId: look, operationId: read, ${ID}, successCriteria: [{ x-id: seen, condition: $statusCode == 299 }] }
      - { stepId: remove, operationId: remove, ${ID}, successCriteria: [{ x-id: gone, condition: $statusCode == 200 }] }
    x-journey:
      teardown: [{ step: remove }]
      acceptanceCriteria:
        - { id: AC-1, text: A thing is made, severity: must, provenBy: [create#made] }
        - { id: AC-2, text: It is found, severity: must, provenBy: [look#seen] }
        - { id: AC-3, text: It can be removed, severity: must, provenBy: [remove#gone] }
`;

const cardOf = (page: Page) => (step: string) =>
  page.getByRole("button", { name: new RegExp(`^[0-9] ?${step}`) });

it("each step of a journey says which criteria it proves, and whether the last run proved them", async () => {
  await using opened = await ui.open();
  const { page } = opened;
  const card = cardOf(page);
  await page.goto(`/journeys/${journeyId}/edit`);
  await card("create").getByText("AC-1 not run").waitFor();
  expect(await page.getByText("Last run:").count()).toBe(0);

  const run = { journeyId, environmentId };
  const { runId } = (await ui.stack.http.post<StartedJourneyRun>("/api/journey-runs", run)).body;
  await page.reload();
  // The page follows a run that is under way.
  await card("create").getByText("AC-1 proven").waitFor();
  await card("look").getByText("AC-2 failed").waitFor();
  await card("remove").getByText("AC-3 not run").waitFor();
  const criteria = page.getByRole("region", { name: "Acceptance criteria of main" });
  await criteria.getByText("AC-2 failed").waitFor();
  await page.getByText(/^Last run: failed in test, .*, of version 1$/).waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.goto("/journeys");
  await page.getByRole("row").filter({ hasText: PATH }).getByText("1 of 3 criteria proven").waitFor();
  await page.goBack();
  await page.getByRole("link", { name: "failed" }).click();
  await page.waitForURL(`**/journey-runs/${runId}`);
  expect(opened.complaints).toEqual([]);
});

it("a run that is started beside the steps stays there: the step under way, how each ended, and what failed", async () => {
  await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
  const { page } = opened;
  const card = cardOf(page);
  await page.goto(`/journeys/${journeyId}/edit?step=create`);
  await card("create").waitFor();
  const hold = target.hold("");
  try {
    await page.getByRole("button", { name: "Run…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Run", exact: true }).click();
    await card("create").getByText("running", { exact: true }).waitFor();
    await page.getByRole("status").getByText("Run of version 1 in test: running create.").waitFor();
    await page.getByLabel("Description").fill("Makes it.");
    await page.getByLabel("Description").press("Enter");
    await page.getByText("Not saved. This browser keeps it as a draft.").waitFor();
  } finally {
    hold.release();
  }
  await card("create").getByText("passed", { exact: true }).waitFor();
  await card("look").getByText("failed", { exact: true }).waitFor();
  await page.getByRole("status").getByText("Run of version 1 in test: failed.").waitFor();
  await page.getByText(/^Failed: \$statusCode == 299 .*200/).waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  // The text that was typed during the run stays, and the run's page opens the step.
  expect(await page.getByLabel("Description").inputValue()).toBe("Makes it.");
  await page.getByRole("link", { name: "Request and response of look" }).click();
  await page.waitForURL(/\/journey-runs\/[^/]+\?step=1$/);
  await page.getByRole("listitem").filter({ hasText: "look" }).getByText("$statusCode == 299").waitFor();
  await page.goBack();
  await card("create").waitFor();
  await page.getByText("You continue with a draft").waitFor();
  // It is only the last run now.
  expect(await card("create").getByText("passed", { exact: true }).count()).toBe(0);
  expect(opened.complaints).toEqual([]);
});

it("steps that were saved after a run don't show its outcomes: they are others than those that ran", async () => {
  await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
  const { page } = opened;
  const card = cardOf(page);
  await page.goto(`/journeys/${journeyId}/edit?step=create`);
  await card("create").waitFor();
  await page.getByRole("button", { name: "Run…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Run", exact: true }).click();
  const details = page.getByRole("link", { name: "Request and response of look" });
  await details.waitFor();
  await page.getByLabel("Description").fill("Makes a thing.");
  await page.getByLabel("Description").press("Enter");
  await page.getByRole("button", { name: "Save…" }).click();
  await page.getByText("No other document refers to this one.").waitFor();
  // Until then they stay, to be mended.
  expect(await details.count()).toBe(1);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("As version 2", { exact: true }).waitFor();
  await details.waitFor({ state: "detached" });
  expect(await card("create").getByText("passed", { exact: true }).count()).toBe(0);
  expect(opened.complaints).toEqual([]);
});
