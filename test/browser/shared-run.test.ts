import type { CreatedJourneyRunLink } from "@waymark/shared/journey-runs/links/schema.ts";
import type { StartedJourneyRun } from "@waymark/shared/journey-runs/schema.ts";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import {
  type JourneyTarget,
  startJourneyTarget,
  thingsJourney,
} from "@waymark/test-support/journey-target.ts";
import { storeDocument, waitForJourneyRun } from "@waymark/test-support/journeys.ts";
import { storeUser } from "@waymark/test-support/principals.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

const PATH = "things.journey.yaml";

let target: JourneyTarget;
let ui: TestConsole;
let runId: string;
beforeAll(async () => {
  target = await startJourneyTarget();
  ui = await startConsole({
    workerEnv: { WORKER_ROLES: "journeys", JOURNEY_EGRESS_ALLOW: `127.0.0.1:${target.port}` },
  });
  const files = thingsJourney({ events: 1 });
  files[PATH] = (files[PATH] ?? "").replace("$statusCode == 201", "$statusCode == 299");
  for (const [path, text] of Object.entries(files)) await storeDocument(ui.stack, { path, text });
  const servers = { things: target.url };
  const created = await ui.stack.http.post<{ id: string }>("/api/environments", { name: "test", servers });
  const request = { path: PATH, environmentId: created.body.id, inputs: { run: "r" } };
  runId = (await ui.stack.http.post<StartedJourneyRun>("/api/journey-runs", request)).body.runId;
  await waitForJourneyRun(ui.stack, runId);
}, 180_000);
afterAll(async () => {
  await ui[Symbol.asyncDispose]();
  await target[Symbol.asyncDispose]();
});

const WIDTH = "document.documentElement.scrollWidth";

it("a run is shared by a link, which opens it without an account and ends by one click", async () => {
  const ada = await storeUser(ui.stack, { displayName: "Ada", roles: ["administrator"] });
  await using opened = await ui.open({ as: ada.rawKey, context: { reducedMotion: "reduce" } });
  const { page } = opened;
  await page.goto(`/journey-runs/${runId}`);
  await page.getByRole("button", { name: "Share…" }).click();
  const dialog = page.getByRole("dialog", { name: "Share this run" });
  await dialog.getByRole("textbox", { name: "Note" }).fill("for Bob");
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Create link" }).click();
  const address = await dialog.getByLabel("Link to the run").textContent();
  await dialog.getByRole("button", { name: "Done" }).click();
  const links = page.getByRole("region", { name: "Shared by 1 link" });
  await links.getByText("Never opened").waitFor();

  await using stranger = await ui.open({ as: null, isNew: true, context: { reducedMotion: "reduce" } });
  const answers: string[] = [];
  stranger.page.on("request", (request) => answers.push(new URL(request.url()).pathname));
  const response = await stranger.page.goto(address ?? "");
  expect(response?.headers()).toMatchObject({
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "x-robots-tag": "noindex, nofollow",
    "content-security-policy": expect.stringContaining("default-src 'none'"),
  });
  const shared = stranger.page;
  await shared.getByRole("heading", { level: 1, name: "Things" }).waitFor();
  await shared.getByText("$statusCode == 299").waitFor();
  expect(answers.filter((path) => path.startsWith("/api"))).toEqual(["/api/shared-journey-run"]);
  // No way to anything else, and no name of anything else.
  expect(await shared.getByRole("link").count()).toBe(0);
  expect(await shared.getByRole("navigation").count()).toBe(0);
  const text = await shared.locator("body").textContent();
  for (const each of [PATH, "Ada", "Bob", "127.0.0.1", runId]) expect(text).not.toContain(each);
  expect(await violationsInBothSchemes(shared)).toEqual([]);
  await shared.setViewportSize({ width: 390, height: 800 });
  expect(await shared.evaluate<number>(WIDTH)).toBeLessThanOrEqual(390);

  await page.reload();
  await links.getByText("Opened 1 time").waitFor();
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await page.evaluate<number>(WIDTH)).toBeLessThanOrEqual(390);
  await links.getByRole("button", { name: "End link for Bob" }).click();
  await links.waitFor({ state: "detached" });
  await shared.reload();
  await shared.getByRole("heading", { name: "This link does not work" }).waitFor();
  expect([...opened.complaints, ...stranger.complaints]).toEqual([]);
}, 120_000);

it("a link with requests and responses shows them, and others see that the run is shared, but can't share it", async () => {
  const { body } = await ui.stack.http.post<CreatedJourneyRunLink>(`/api/journey-runs/${runId}/links`, {
    includes: "exchanges",
  });
  await using stranger = await ui.open({ as: null, isNew: true, context: { reducedMotion: "reduce" } });
  const { page: shared } = stranger;
  await shared.goto(body.url);
  await shared.getByText("Response 201").waitFor();
  expect(await violationsInBothSchemes(shared)).toEqual([]);
  const editor = await storeUser(ui.stack, { displayName: "Eve", roles: ["journey-editor"] });
  await using opened = await ui.open({ as: editor.rawKey, context: { reducedMotion: "reduce" } });
  await opened.page.goto(`/journey-runs/${runId}`);
  await opened.page.getByRole("heading", { name: "Shared by 1 link" }).waitFor();
  expect(await opened.page.getByRole("button", { name: /Share|End link/ }).count()).toBe(0);
  expect([...opened.complaints, ...stranger.complaints]).toEqual([]);
}, 90_000);
