import type { Page } from "playwright-core";
import type { DemoPages } from "./demo-system.ts";
import type { Scene } from "./pictures.ts";

/** As the api says it. */
const STORE_WARNING =
  "Save this key now, in a secret store: it is shown only once and can't be recovered. Revoke it if it leaks.";

/** Dialogs. None of them changes anything, so that the pictures after it show the same. */
// oxlint-disable-next-line max-lines-per-function -- a list of pictures
export function dialogPictures(pages: DemoPages): Scene[] {
  const journey = `/journeys/${pages.journey}`;
  const pressed = (button: string) => async (page: Page) => {
    await page.getByRole("button", { name: button, exact: true }).click();
    await page.getByRole("dialog").waitFor();
  };
  return [
    {
      name: "create-key",
      path: "/api-keys",
      ready: async (page) => {
        await pressed("Create a key")(page);
        await page.getByLabel("Name").fill("orders pipeline");
      },
    },
    {
      name: "create-trust-policy",
      path: "/trust-policies",
      ready: async (page) => {
        await pressed("Create a policy")(page);
        await page.getByLabel(/^Name/).fill("scans of acme");
        await page.getByRole("combobox", { name: /^Owner's id/ }).fill("65");
        await page.getByRole("combobox", { name: /^Owner's id/ }).press("Enter");
      },
    },
    { name: "new-key", path: "/api-keys", ready: showNewKey },
    { name: "key", path: "/api-keys", only: "wide", ready: pressed("Details of payments pipeline") },
    {
      name: "badge",
      path: `/services/${pages.service}?badge=1`,
      only: "wide",
      ready: (page) => page.getByRole("button", { name: "Create badge" }).waitFor(),
    },
    { name: "run-journey", path: journey, only: "wide", ready: pressed("Run…") },
    {
      name: "new-schedule",
      path: `${journey}?tab=schedules`,
      only: "wide",
      ready: pressed("Create a schedule"),
    },
    {
      name: "secret",
      path: `/environments/${pages.environment}`,
      only: "wide",
      ready: pressed("Set a secret"),
    },
    {
      name: "palette",
      path: "/services",
      ready: async (page) => {
        await page.getByRole("heading", { level: 1, name: "Services" }).waitFor();
        await page.keyboard.press("ControlOrMeta+k");
        await page.getByRole("dialog").getByRole("combobox").fill("pay");
        await page.getByRole("option", { name: /^GET/ }).first().waitFor();
      },
    },
    {
      name: "shortcuts",
      path: "/services",
      only: "wide",
      ready: async (page) => {
        await page.getByRole("heading", { level: 1, name: "Services" }).waitFor();
        await page.keyboard.press("?");
        await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
      },
    },
  ];
}

/** With a made-up key, so that the list of keys stays the same and no picture holds a key that was ever usable. */
async function showNewKey(page: Page): Promise<void> {
  await page.route("**/api/api-keys", async (route) => {
    const self = await page.context().request.get("/api/api-keys/self");
    const key = { ...((await self.json()) as object), name: "orders pipeline", prefix: "wmk_EXAMPLE00000" };
    const rawKey = `wmk_EXAMPLE00000_${"EXAMPLE".repeat(6)}`;
    await route.fulfill({ status: 201, json: { ...key, rawKey, warning: STORE_WARNING } });
  });
  await page.getByRole("button", { name: "Create a key" }).click();
  await page.getByLabel("Name").fill("orders pipeline");
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByTestId("raw-key").waitFor();
}
