import type { StartedJourneyRun } from "@waymark/shared/journey-runs/schema.ts";
import { startConsole, type TestConsole } from "@waymark/test-support/console.ts";
import {
  type JourneyTarget,
  startJourneyTarget,
  thingsJourney,
} from "@waymark/test-support/journey-target.ts";
import { storeDocument } from "@waymark/test-support/journeys.ts";
import { scaled } from "@waymark/test-support/scale.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { recordFigures } from "../faults/support/figures.ts";

/** Limit of the delay on an idle machine. The short form runs on a busy one, and only shows that steps appear. */
const LIVE_MS_MAX = scaled({ short: 60_000, long: 1_000 });
const FRAMES_MIN = scaled({ short: 1, long: 59 });
/** A run has 1,000 steps at most, of its main phase and its teardown. */
const STEPS = scaled({ short: 150, long: 990 });
const SHOWN_MAX = 60;
const ADDED = 12;
const DELAY_MS = 400;

let target: JourneyTarget;
let ui: TestConsole;
let environmentId: string;
beforeAll(async () => {
  target = await startJourneyTarget();
  ui = await startConsole({
    workerEnv: { WORKER_ROLES: "scans,journeys", JOURNEY_EGRESS_ALLOW: `127.0.0.1:${target.port}` },
  });
  const description = thingsJourney()["things.openapi.yaml"] ?? "";
  await storeDocument(ui.stack, { path: "things.openapi.yaml", text: description });
  const environment = { name: "test", servers: { things: target.url } };
  environmentId = (await ui.stack.http.post<{ id: string }>("/api/environments", environment)).body.id;
}, 180_000);
afterAll(async () => {
  await ui[Symbol.asyncDispose]();
  await target[Symbol.asyncDispose]();
});

/** Starts a run of a journey that adds so many events to a thing. */
async function start(path: string, events: number): Promise<string> {
  const text = thingsJourney({ events })["things.journey.yaml"] ?? "";
  await storeDocument(ui.stack, { path, text });
  const request = { path, environmentId, inputs: { run: path } };
  return (await ui.stack.http.post<StartedJourneyRun>("/api/journey-runs", request)).body.runId;
}

/** Notes when each step appeared that was not there before. As text, because it runs in the page. */
const WATCH = `(() => {
  window.appeared = {};
  const steps = () => [...document.querySelectorAll('[aria-label="Steps of the run"] [role=listitem] b')].map((one) => one.textContent);
  const before = new Set(steps());
  const look = () => {
    for (const step of steps()) if (!before.has(step)) window.appeared[step] ??= Date.now();
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
})()`;

it("the page of a run shows a step within a second of its end", async () => {
  const create = target.hold("create");
  const runId = await start("live.journey.yaml", ADDED);
  await using opened = await ui.open();
  const { page } = opened;
  await page.goto(`/journey-runs/${runId}`);
  await page.getByText("No step has ended yet.").waitFor();
  await page.evaluate(WATCH);
  target.delayMs = DELAY_MS;
  create.release();
  const appeared = () => page.evaluate<Record<string, number>>("window.appeared");
  const added = async () => Object.entries(await appeared()).filter(([step]) => step.startsWith("add"));
  await expect.poll(async () => (await added()).length, { timeout: 100_000 }).toBe(ADDED);
  const answeredAt = new Map(
    target.requests.map(({ step, at }) => [step, performance.timeOrigin + at + DELAY_MS]),
  );
  const late = (await added()).map(([step, shownAt]) => shownAt - (answeredAt.get(step) ?? Number.NaN));
  target.delayMs = 0;
  const figures = { steps: late.length, "latest (ms)": Math.round(Math.max(...late)) };
  recordFigures("From the end of a step to its row on the page of the run", figures);
  expect(Math.max(...late)).toBeLessThan(LIVE_MS_MAX);
  expect(opened.complaints).toEqual([]);
});

/** Scrolls the steps to their end, eight rows a frame. @returns frames per second */
const SCROLL = `new Promise((done) => {
  const list = document.querySelector('[aria-label="Steps of the run"]');
  let first = 0;
  let frames = -1;
  const step = (now) => {
    frames += 1;
    if (frames === 0) first = now;
    const before = list.scrollTop;
    list.scrollTo(0, before + 384);
    if (list.scrollTop > before) requestAnimationFrame(step);
    else done((frames * 1000) / (now - first));
  };
  requestAnimationFrame(step);
})`;

it("the steps of a run of 1,000 scroll at 60 frames a second, and few of them are in the page", async () => {
  const runId = await start("long.journey.yaml", STEPS);
  await using opened = await ui.open();
  const { page } = opened;
  await page.goto(`/journey-runs/${runId}`);
  // Reports are offered when the run has ended.
  await page.getByRole("link", { name: "junit" }).waitFor({ timeout: 300_000 });
  const rows = page.getByRole("list", { name: "Steps of the run" }).getByRole("listitem");
  await rows.filter({ hasText: "create" }).waitFor();
  const framesPerSecond = await page.evaluate<number>(SCROLL);
  await rows.filter({ hasText: "remove" }).first().waitFor();
  const count = await rows.count();
  recordFigures("Scrolling the steps of a run", {
    steps: STEPS + 4,
    "frames per second": Math.round(framesPerSecond * 10) / 10,
    "rows in the page": count,
  });
  expect(count).toBeLessThan(SHOWN_MAX);
  expect(framesPerSecond).toBeGreaterThan(FRAMES_MIN);
  expect(opened.complaints).toEqual([]);
}, 600_000);
