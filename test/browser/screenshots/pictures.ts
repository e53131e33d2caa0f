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
    { name: "services", path: "/", size: "wide", ready: heading("Services") },
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
    { name: "phone-services", path: "/", size: "phone", ready: heading("Services") },
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
  ];
}
