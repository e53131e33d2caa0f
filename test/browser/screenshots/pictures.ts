import type { Page } from "playwright-core";
import type { DemoPages } from "./demo-system.ts";
import { dialogPictures } from "./dialog-pictures.ts";
import { journeyPictures } from "./journey-pictures.ts";

const SIZES = ["wide", "phone"] as const;
export type Size = (typeof SIZES)[number];

/** A page of the console in a state to be shown. */
export interface Scene {
  name: string;
  path: string;
  /** Only in this size; default: in both, on a phone with the prefix `phone-`. */
  only?: Size;
  /** Nobody, the key of an organization that has nothing yet, or a person's own key; default: the key of the one that has everything. */
  as?: "nobody" | "newcomer" | "person";
  /** Brings the page into the state to be shown, and waits for it. */
  ready: (page: Page) => Promise<unknown>;
}

/** A scene in one size. */
export interface Picture extends Scene {
  size: Size;
}

export function picturesOf(pages: DemoPages): readonly Picture[] {
  const scenes = [
    ...scanScenes(pages),
    ...keyScenes(),
    ...peopleScenes(pages),
    ...journeyPictures(pages),
    ...dialogPictures(pages),
  ];
  return SIZES.flatMap((size) =>
    scenes
      .filter(({ only }) => only === undefined || only === size)
      .map((scene) => ({ ...scene, size, name: size === "phone" ? `phone-${scene.name}` : scene.name })),
  );
}

export const heading = (name: string) => (page: Page) =>
  page.getByRole("heading", { name, exact: true, level: 1 }).waitFor();

const plotted = (page: Page) => page.getByRole("img", { name: /^Findings over/ }).waitFor();

// oxlint-disable-next-line max-lines-per-function -- a list of pictures
function scanScenes(pages: DemoPages): Scene[] {
  const service = `/services/${pages.service}`;
  const run = `/scan-runs/${pages.run}`;
  const largeRun = `/scan-runs/${pages.largeRun}`;
  return [
    { name: "sign-in", path: "/", as: "nobody", ready: heading("Sign in to Waymark") },
    {
      name: "first-steps",
      path: "/",
      as: "newcomer",
      ready: (page) => page.getByText("Waiting for the first scan").waitFor(),
    },
    { name: "overview", path: "/", ready: heading("Overview") },
    { name: "services", path: "/services", ready: heading("Services") },
    { name: "service", path: `${service}?sort=-firstSeenAt`, ready: plotted },
    { name: "service-runs", path: `${service}?tab=runs`, ready: plotted },
    {
      name: "service-changes",
      path: `${service}?tab=changes`,
      ready: (page) => page.getByRole("listitem").getByRole("link").first().waitFor(),
    },
    {
      name: "description",
      path: `/services/${pages.bookshop}/description`,
      ready: async (page) => {
        await page
          .getByRole("button", { name: /GET \/books\/\{/ })
          .first()
          .click();
        await page.getByRole("region", { name: "Responses" }).waitFor();
      },
    },
    {
      name: "endpoint",
      path: `/services/${pages.bookshop}/endpoint?of=${encodeURIComponent("GET /books/{isbn}")}`,
      ready: (page) => page.getByRole("region", { name: "Responses" }).waitFor(),
    },
    {
      name: "all-endpoints",
      path: "/endpoints?q=get+pay",
      ready: (page) => page.getByRole("table").getByRole("link").first().waitFor(),
    },
    { name: "all-findings", path: "/findings", ready: heading("Findings") },
    {
      name: "decisions",
      path: "/decisions?tab=changes",
      ready: (page) => page.getByText("The only client was switched off").waitFor(),
    },
    {
      name: "change",
      path: `/scan-runs/${pages.change}`,
      ready: (page) => page.getByRole("region", { name: "Verdict" }).getByText("Breaks clients").waitFor(),
    },
    { name: "scan-run", path: `${run}?tab=endpoints`, ready: heading("payments") },
    {
      name: "scan-run-large",
      path: `${largeRun}?tab=endpoints&severity=critical&sort=path`,
      only: "wide",
      ready: heading("legacy-gateway"),
    },
    {
      name: "endpoints",
      path: `${largeRun}?tab=endpoints&sort=findings`,
      only: "phone",
      ready: async (page) => {
        const table = page.getByRole("region", { name: "Endpoints" });
        await table.getByText("critical").first().waitFor();
        // As text: it is the page's code.
        await page.evaluate(
          `document.querySelector("[aria-label=Endpoints]").scrollIntoView({ block: "end" })`,
        );
      },
    },
    { name: "findings", path: `${largeRun}?tab=findings`, ready: heading("legacy-gateway") },
    { name: "changes", path: `${run}?tab=changes`, ready: heading("payments") },
    {
      name: "compare",
      path: `${run}?tab=changes&against=${pages.firstRun}`,
      only: "wide",
      ready: (page) => page.getByRole("heading", { name: / new$/ }).first().waitFor(),
    },
    {
      name: "finding",
      path: `${largeRun}?tab=findings&finding=0`,
      ready: (page) => page.getByRole("dialog").getByText("ago").waitFor(),
    },
    { name: "failed-run", path: `/scan-runs/${pages.failedRun}`, ready: heading("search") },
    {
      name: "held-run",
      path: `/scan-runs/${pages.heldRun}`,
      ready: (page) => page.getByRole("button", { name: "More actions" }).waitFor(),
    },
  ];
}

function peopleScenes({ person, team }: DemoPages): Scene[] {
  return [
    { name: "people", path: "/people", ready: heading("People") },
    { name: "person", path: `/people/${person}`, ready: heading("Margaret Hamilton") },
    { name: "team", path: `/teams/${team}`, ready: heading("Payments") },
    { name: "my-keys", path: "/my-keys", as: "person", ready: heading("My keys") },
    {
      name: "invite",
      path: "/people?invite=new",
      only: "wide",
      ready: (page) => page.getByRole("dialog").getByLabel("E-mail").fill("annie@example.com"),
    },
  ];
}

function keyScenes(): Scene[] {
  return [
    { name: "api-keys", path: "/api-keys", ready: heading("API keys") },
    {
      name: "trust-policies",
      path: "/trust-policies",
      ready: (page) => page.getByRole("cell", { name: /repository_owner_id/ }).waitFor(),
    },
    {
      name: "audit-log",
      path: "/audit-log",
      ready: (page) => page.getByRole("cell", { name: "Schedule created" }).waitFor(),
    },
    { name: "limits", path: "/limits", ready: heading("Limits and usage") },
    { name: "not-found", path: "/nowhere", ready: heading("Page not found") },
  ];
}
