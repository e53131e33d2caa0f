import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";

let ui: TestConsole;
beforeAll(async () => {
  ui = await startConsole();
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

const scan = (serviceName: string) => ui.scan(scanPayload({ serviceName }));

describe("the settings of a service", () => {
  it("rename it, label, link and archive it, and lists go by that", async () => {
    const { serviceId } = await scan("orders");
    await scan("Payments API");
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/services/${serviceId}`);
    await page.getByRole("button", { name: "Settings" }).click();
    const dialog = page.getByRole("dialog", { name: "Settings of the service" });
    const name = dialog.getByLabel("Name", { exact: true });
    await name.fill("or\u200bders");
    await dialog.getByText("U+200B as character 3").waitFor();
    expect(await dialog.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await name.fill("payments_api");
    await dialog.getByText("Another service has a name that looks like this one: Payments API").waitFor();
    await name.fill("billing");
    await dialog.getByLabel("Labels").fill("team");
    await dialog.getByText("write key=value").waitFor();
    await dialog.getByLabel("Labels").fill("team=money\ntier=1");
    await dialog.getByLabel("Repository").fill("https://git.example.com/billing");
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "billing" }).waitFor();
    await page.getByText("Also scanned as orders").waitFor();
    expect(await page.getByRole("link", { name: "Repository" }).getAttribute("href")).toBe(
      "https://git.example.com/billing",
    );
    await page.getByRole("link", { name: "team=money" }).click();
    await page.getByText("1 of 2").waitFor();
    await page.getByRole("link", { name: "billing" }).waitFor();
    await page.getByLabel("Label", { exact: true }).fill("team=nobody");
    await page.getByText("No service has these labels").waitFor();
    expect(page.url()).toContain("label=team%3Dnobody");
    await page.getByRole("navigation").getByRole("link", { name: "Services", exact: true }).click();
    await page.getByText("2 of 2").waitFor();
    expect(await page.getByLabel("Label", { exact: true }).inputValue()).toBe("");

    await page.goto(`/services/${serviceId}?settings=1`);
    await dialog.getByLabel("Archived").check();
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("This service is archived").waitFor();
    await page.goto("/services");
    await page.getByText("1 of 1").waitFor();
    await page.getByRole("link", { name: "Archived services" }).click();
    await page.getByRole("link", { name: "billing" }).waitFor();
    expect(opened.complaints).toEqual([]);
  }, 120_000);

  it("filter the overview, findings and endpoints by label", async () => {
    const { serviceId } = await scan("labelled");
    await scan("other");
    await ui.stack.http.request("PATCH", `/api/services/${serviceId}`, {
      key: ui.stack.apiKey,
      body: { labels: { tier: "7" } },
    });
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto("/?label=tier%3D7");
    await page.getByRole("link", { name: "labelled" }).first().waitFor();
    expect(await page.getByRole("link", { name: "other", exact: true }).count()).toBe(0);
    await page.goto("/findings?label=tier%3D7");
    await page.getByText("2 findings", { exact: true }).waitFor();
    await page.goto("/endpoints?q=get&label=tier%3D7");
    await page.getByText("1 endpoint", { exact: true }).waitFor();
    expect(opened.complaints).toEqual([]);
  }, 120_000);
});

describe("the deletion of a service", () => {
  it("asks for its name, and leads to the list", async () => {
    const { serviceId } = await scan("doomed");
    await scan("staying");
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/services/${serviceId}`);
    await page.getByRole("button", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete the service for ever?" });
    const submit = dialog.getByRole("button", { name: "Delete service" });
    await dialog.getByLabel("Name of the service").fill("Doomed");
    expect(await submit.isDisabled()).toBe(true);
    await dialog.getByLabel("Name of the service").fill("doomed");
    await submit.click();
    await page.waitForURL("**/services");
    await page.getByRole("link", { name: "staying" }).waitFor();
    expect(await page.getByRole("link", { name: "doomed" }).count()).toBe(0);
    expect((await ui.stack.http.get(`/api/services/${serviceId}`)).status).toBe(404);
  }, 120_000);

  it("is offered to a key with services:delete only", async () => {
    const { serviceId } = await scan("guarded");
    const reader = await createKey(ui.stack, ["services:read", "endpoints:read"]);
    await using opened = await ui.open({ as: reader });
    await opened.page.goto(`/services/${serviceId}`);
    await opened.page.getByRole("button", { name: "Badge" }).waitFor();
    expect(await opened.page.getByRole("button", { name: /Settings|Delete/ }).count()).toBe(0);
  });
});
