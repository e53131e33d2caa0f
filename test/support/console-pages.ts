import type { Page } from "playwright-core";
import { descriptionOf, scanOf, SHOP, shopJourney } from "./journey-coverage/shop.ts";
import type { HttpClient } from "./http-client.ts";
import { journeyText, storeDocument } from "./journeys.ts";
import { ingest, waitForRun } from "./scans.ts";

/** A page of the console with something on it. */
export interface PageCase {
  name: string;
  path: string;
  /** Waits until the page is complete. */
  ready: (page: Page) => Promise<unknown>;
}

/** Runs in the page before its own code: adds up how much of the page moves while it loads. */
export const OBSERVE_SHIFTS = `
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
  }).observe({ type: "layout-shift", buffered: true });`;

/** Stores journeys with a run that waits, a schedule, an environment and coverage. No worker of journeys may run. */
export async function createJourneyPages({ http }: { http: HttpClient }): Promise<PageCase[]> {
  const client = { http };
  const { id: journeyId } = await storeDocument(client, {
    path: "craft.journey.yaml",
    text: journeyText("Craft"),
  });
  const environment = await http.post<{ id: string }>("/api/environments", { name: "test" });
  const environmentId = environment.body.id;
  const run = await http.post<{ runId: string }>("/api/journey-runs", { journeyId, environmentId });
  const rhythm = { cron: "30 2 * * MON-FRI", timeZone: "Europe/Berlin" };
  await http.post("/api/journey-schedules", { name: "nightly", journeyId, environmentId, ...rhythm });
  const description = descriptionOf(SHOP);
  const { body: scan } = await ingest(client, scanOf("shop", SHOP, description));
  await waitForRun(client, scan.scanRunId);
  await storeDocument(client, { path: "shop.openapi.json", text: description });
  const buy = shopJourney("Buy", {
    sources: { shop: "shop.openapi.json" },
    steps: [{ id: "list", source: "shop", operation: "GET /items", expects: 200 }],
    criteria: { "AC-1": ["must", "list#ok"] },
  });
  await storeDocument(client, { path: "buy.journey.json", text: buy });
  return [
    ...pagesOfJourneys({ journeyId, runId: run.body.runId }),
    { name: "coverage", path: "/coverage", ready: (page) => page.getByText("30 of 30").waitFor() },
    {
      name: "environments",
      path: "/environments",
      ready: (page) => page.getByRole("link", { name: "test" }).waitFor(),
    },
    {
      name: "an environment",
      path: `/environments/${environmentId}`,
      ready: (page) => page.getByText("No secrets yet.").waitFor(),
    },
  ];
}

function pagesOfJourneys({ journeyId, runId }: { journeyId: string; runId: string }): PageCase[] {
  const journey = `/journeys/${journeyId}`;
  return [
    {
      name: "journeys",
      path: "/journeys",
      ready: (page) => page.getByRole("link", { name: "Craft", exact: true }).waitFor(),
    },
    {
      name: "a journey's runs",
      path: journey,
      ready: (page) => page.getByRole("cell", { name: "queued" }).waitFor(),
    },
    {
      name: "a journey's schedules",
      path: `${journey}?tab=schedules`,
      ready: (page) => page.getByText("No time has come yet.").waitFor(),
    },
    {
      name: "a journey's text",
      path: `${journey}?tab=text`,
      ready: (page) => page.getByText("workflowId: main").waitFor(),
    },
    {
      name: "a journey's versions",
      path: `${journey}?tab=versions`,
      ready: (page) => page.getByRole("cell", { name: "none", exact: true }).waitFor(),
    },
    {
      name: "a journey's links",
      path: `${journey}?tab=links`,
      ready: (page) => page.getByRole("tab", { name: /^Links/, selected: true }).waitFor(),
    },
    {
      name: "a journey's steps",
      path: `${journey}/edit?step=ping`,
      ready: (page) =>
        Promise.all([
          page.getByLabel("Condition", { exact: true }).waitFor(),
          page.getByText("No problems.").waitFor(),
        ]),
    },
    {
      name: "a run of a journey",
      path: `/journey-runs/${runId}`,
      ready: (page) => page.getByText("No step has ended yet.").waitFor(),
    },
  ];
}
