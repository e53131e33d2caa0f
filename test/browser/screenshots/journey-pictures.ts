import type { Page } from "playwright-core";
import type { DemoPages } from "./demo-system.ts";
import type { Scene } from "./pictures.ts";

const noProblems = (page: Page) => page.getByText("No problems.").waitFor();

/** The pages of journeys, coverage and environments. */
// oxlint-disable-next-line max-lines-per-function -- a list of pictures
export function journeyPictures(pages: DemoPages): Scene[] {
  const journey = `/journeys/${pages.journey}`;
  const variant = `/journeys/${pages.variant}`;
  return [
    { name: "journeys", path: "/journeys", ready: (page) => page.getByText("passed").first().waitFor() },
    {
      name: "journey",
      path: journey,
      ready: (page) => page.getByRole("table").getByRole("link").first().waitFor(),
    },
    {
      name: "schedules",
      path: `${journey}?tab=schedules`,
      ready: (page) => page.getByRole("heading", { name: "nightly notes" }).waitFor(),
    },
    {
      name: "journey-text",
      path: `${journey}?tab=text`,
      ready: (page) => page.getByText("workflowId: main").waitFor(),
    },
    {
      name: "versions",
      path: `${journey}?tab=versions`,
      ready: (page) => page.getByRole("cell", { name: "The life of a note" }).waitFor(),
    },
    {
      name: "links",
      path: `${journey}?tab=links`,
      ready: (page) => page.getByRole("tabpanel").getByRole("link").first().waitFor(),
    },
    {
      name: "build",
      path: `${journey}/edit?step=rate&view=split`,
      only: "wide",
      ready: async (page) => {
        await noProblems(page);
        await page.evaluate("scrollTo(0, 0)");
      },
    },
    { name: "build", path: `${journey}/edit?step=rate`, only: "phone", ready: noProblems },
    { name: "variant", path: `${variant}/edit?step=seeGone`, ready: noProblems },
    {
      name: "variant-difference",
      path: `${variant}/edit?view=difference`,
      ready: (page) => page.getByText("seeGone").first().waitFor(),
    },
    {
      name: "new-journey",
      path: "/journeys/new",
      ready: async (page) => {
        await choose(page, "Service", "notes");
        await choose(page, "It covers", "The life of one of /notes");
        await page.getByRole("button", { name: "Make it" }).and(page.locator(":enabled")).waitFor();
      },
    },
    {
      name: "journey-run",
      path: `/journey-runs/${pages.failedJourneyRun}`,
      ready: (page) => page.getByText("$statusCode == 200").first().waitFor(),
    },
    {
      name: "shared-run",
      path: pages.sharedRun,
      as: "nobody",
      ready: (page) => page.getByText("A dropped note is gone").waitFor(),
    },
    {
      name: "coverage",
      path: "/coverage",
      ready: (page) => page.getByRole("table", { name: "Endpoints" }).waitFor(),
    },
    {
      name: "environments",
      path: "/environments",
      ready: (page) => page.getByRole("link", { name: "staging" }).waitFor(),
    },
    {
      name: "environment",
      path: `/environments/${pages.environment}`,
      ready: (page) => page.getByText("NOTES_TOKEN").waitFor(),
    },
  ];
}

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole("combobox", { name: label }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
}
