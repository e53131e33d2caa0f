import type { Page } from "playwright-core";
import type { DemoPages } from "./demo-system.ts";

export interface Picture {
  name: string;
  path: string;
  size: "wide" | "phone";
  signedOut?: boolean;
  /** Brings the page into the state to be shown, and waits for it. */
  ready: (page: Page) => Promise<void>;
}

const heading = (name: string) => (page: Page) => page.getByRole("heading", { name, exact: true }).waitFor();

// oxlint-disable-next-line max-lines-per-function -- a list of pictures
export function picturesOf(pages: DemoPages): readonly Picture[] {
  return [
    { name: "sign-in", path: "/", size: "wide", signedOut: true, ready: heading("Sign in to Waymark") },
    { name: "overview", path: "/", size: "wide", ready: heading("Overview") },
    { name: "services", path: "/services", size: "wide", ready: heading("Services") },
    {
      name: "service",
      path: `/services/${pages.service}?sort=-firstSeenAt`,
      size: "wide",
      ready: async (page) =>
        page
          .getByRole("img", { name: /^Findings over/ })
          .locator("canvas")
          .waitFor(),
    },
    {
      name: "service-runs",
      path: `/services/${pages.service}?tab=runs`,
      size: "wide",
      ready: async (page) =>
        page
          .getByRole("img", { name: /^Findings over/ })
          .locator("canvas")
          .waitFor(),
    },
    {
      name: "service-changes",
      path: `/services/${pages.service}?tab=changes`,
      size: "wide",
      ready: heading("payments"),
    },
    { name: "all-findings", path: "/findings", size: "wide", ready: heading("Findings") },
    { name: "scan-run", path: `/scan-runs/${pages.run}`, size: "wide", ready: heading("payments") },
    {
      name: "scan-run-large",
      path: `/scan-runs/${pages.largeRun}?severity=critical&sort=path`,
      size: "wide",
      ready: heading("legacy-gateway"),
    },
    {
      name: "findings",
      path: `/scan-runs/${pages.largeRun}?tab=findings`,
      size: "wide",
      ready: heading("legacy-gateway"),
    },
    {
      name: "changes",
      path: `/scan-runs/${pages.run}?tab=changes`,
      size: "wide",
      ready: heading("payments"),
    },
    {
      name: "compare",
      path: `/scan-runs/${pages.run}?tab=changes&against=${pages.firstRun}`,
      size: "wide",
      ready: async (page) => page.getByRole("heading", { name: /^Added endpoints/ }).waitFor(),
    },
    {
      name: "finding",
      path: `/scan-runs/${pages.largeRun}?tab=findings&finding=0`,
      size: "wide",
      ready: async (page) => page.getByRole("dialog").getByText("ago").waitFor(),
    },
    { name: "failed-run", path: `/scan-runs/${pages.failedRun}`, size: "wide", ready: heading("search") },
    { name: "api-keys", path: "/api-keys", size: "wide", ready: heading("API keys") },
    {
      name: "create-key",
      path: "/api-keys",
      size: "wide",
      ready: async (page) => {
        await page.getByRole("button", { name: "Create a key" }).click();
        await page.getByLabel("Name").fill("orders pipeline");
      },
    },
    {
      name: "audit-log",
      path: "/audit-log",
      size: "wide",
      ready: (page) => page.getByRole("cell", { name: "Schedule created" }).waitFor(),
    },
    { name: "limits", path: "/limits", size: "wide", ready: heading("Limits and usage") },
    ...journeyPictures(pages, "wide"),
    { name: "phone-overview", path: "/", size: "phone", ready: heading("Overview") },
    { name: "phone-services", path: "/services", size: "phone", ready: heading("Services") },
    { name: "phone-service", path: `/services/${pages.service}`, size: "phone", ready: heading("payments") },
    { name: "phone-scan-run", path: `/scan-runs/${pages.run}`, size: "phone", ready: heading("payments") },
    {
      name: "phone-endpoints",
      path: `/scan-runs/${pages.largeRun}?sort=findings`,
      size: "phone",
      ready: async (page) => {
        const table = page.getByRole("region", { name: "Endpoints" });
        await table.getByText("critical").first().waitFor();
        // As text: it is the page's code.
        await page.evaluate(
          `document.querySelector("[aria-label=Endpoints]").scrollIntoView({ block: "end" })`,
        );
      },
    },
    { name: "phone-api-keys", path: "/api-keys", size: "phone", ready: heading("API keys") },
    ...journeyPictures(pages, "phone"),
  ];
}

/** The pages of journeys, in one size. */
function journeyPictures(pages: DemoPages, size: Picture["size"]): Picture[] {
  const prefix = size === "phone" ? "phone-" : "";
  return [
    {
      name: `${prefix}journeys`,
      path: "/journeys",
      size,
      ready: (page) => page.getByText("passed").first().waitFor(),
    },
    {
      name: `${prefix}schedules`,
      path: `/journeys/${pages.journey}?tab=schedules`,
      size,
      ready: heading("nightly notes"),
    },
    {
      name: `${prefix}build`,
      path: `/journeys/${pages.journey}/edit?step=rate${size === "wide" ? "&view=split" : ""}`,
      size,
      ready: (page) => page.getByText("No problems.").waitFor(),
    },
    {
      name: `${prefix}variant`,
      path: `/journeys/${pages.variant}/edit?step=seeGone`,
      size,
      ready: (page) => page.getByText("No problems.").waitFor(),
    },
    {
      name: `${prefix}new-journey`,
      path: "/journeys/new",
      size,
      ready: async (page) => {
        await choose(page, "Service", "notes");
        await choose(page, "It covers", "The life of one of /notes");
        await page.getByRole("button", { name: "Make it" }).and(page.locator(":enabled")).waitFor();
      },
    },
    {
      name: `${prefix}journey-run`,
      path: `/journey-runs/${pages.failedJourneyRun}`,
      size,
      ready: (page) => page.getByText("$statusCode == 200").first().waitFor(),
    },
    {
      name: `${prefix}coverage`,
      path: "/coverage",
      size,
      ready: (page) => page.getByRole("table", { name: "Endpoints" }).waitFor(),
    },
    {
      name: `${prefix}environment`,
      path: `/environments/${pages.environment}`,
      size,
      ready: (page) => page.getByText("NOTES_TOKEN").waitFor(),
    },
  ];
}

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole("combobox", { name: label }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
}
