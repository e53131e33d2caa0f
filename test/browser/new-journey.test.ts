import type { JourneyDocumentPage } from "@waymark/shared/journeys/schema.ts";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { describedService } from "@waymark/test-support/described-service.ts";
import { descriptionOf, scanOf, SHOP } from "@waymark/test-support/journey-coverage/shop.ts";
import { journeyText, storeDocument } from "@waymark/test-support/journeys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { z } from "zod";

let ui: TestConsole;
beforeAll(async () => {
  ui = await startConsole();
  const description = descriptionOf(SHOP);
  await ui.scan(scanOf("shop", SHOP, description));
  await ui.scan(scanOf("only scanned", ["POST /things", "GET /things/{id}"]));
  await storeDocument(ui.stack, { path: "shop.openapi.json", text: description });
  await storeDocument(ui.stack, { path: "base.journey.yaml", text: journeyText("Base") });
  const template = journeyText("Model").replace("schema: 1", "schema: 1, template: true");
  await storeDocument(ui.stack, { path: "model.journey.yaml", text: template });
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole("combobox", { name: label }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
}

/** Makes it, and waits for its steps. @returns its path */
async function makeIt(page: Page, step: string): Promise<string> {
  const pathField = page.getByLabel("Path");
  await expect.poll(() => pathField.inputValue()).toContain(".");
  const path = await pathField.inputValue();
  await page.getByRole("button", { name: "Make it" }).click();
  await page.waitForURL(/\/journeys\/[0-9a-f-]{36}\/edit/);
  await page
    .getByRole("button", { name: new RegExp(step) })
    .first()
    .waitFor();
  await page.getByText("As version 1", { exact: true }).waitFor();
  return path;
}

async function documentAt(path: string) {
  const address = `/api/journeys?path=${encodeURIComponent(path)}`;
  const { body } = await ui.stack.http.get<z.infer<typeof JourneyDocumentPage>>(address);
  return body.journeys[0];
}

describe("a new journey", () => {
  it("of a scanned service comes from its description, and can run", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto("/journeys");
    await page.getByRole("link", { name: "New journey" }).click();
    await choose(page, "Service", "shop");
    await choose(page, "It covers", "The life of one of /carts");
    expect(await violationsInBothSchemes(page)).toEqual([]);
    const path = await makeIt(page, "create");
    expect(path).toBe("journeys/life-of-carts.journey.yaml");
    expect(await documentAt(path)).toMatchObject({
      errorCount: 0,
      isTemplate: false,
      title: "Life of /carts",
    });
    expect(opened.complaints).toEqual([]);
  });

  it("of a service without a stored description comes from its scan, whose endpoints it is bound to", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto("/journeys/new");
    await choose(page, "Service", "only scanned");
    await choose(page, "It covers", "POST /things");
    await makeIt(page, "call");
    const description = await documentAt("journeys/only-scanned.openapi.json");
    const { body } = await ui.stack.http.get<{ binding: unknown }>(`/api/journeys/${description?.id}`);
    expect(body.binding).toMatchObject({ serviceName: "only scanned", how: "manual" });
    expect(opened.complaints).toEqual([]);
  });

  it("of a scanned service comes from the description of its scan, which is not uploaded, and follows it when asked", async () => {
    const { scan, payload } = describedService(ui.stack);
    await scan();
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto("/journeys/new");
    await choose(page, "Service", payload.service.name);
    const [endpoint] = payload.endpoints;
    await choose(page, "It covers", `${endpoint?.method} ${endpoint?.path}`);
    expect(await violationsInBothSchemes(page)).toEqual([]);
    let sent = "";
    page.on("request", (request) => (sent += request.postData() ?? ""));
    await makeIt(page, "call");
    // The server refuses a change that has a text as well.
    expect(sent).toContain('"description":{"scanRunId"');
    const description = await documentAt(`journeys/${payload.service.name}.openapi.yaml`);
    const { body } = await ui.stack.http.get(`/api/journeys/${description?.id}`);
    expect(body).toMatchObject({ binding: { serviceName: payload.service.name, how: "description" } });

    await scan({ required: ["page"] });
    await page.goto(`/journeys/${description?.id}`);
    await page.getByText(`The current scan of ${payload.service.name} has another description`).waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.getByRole("button", { name: "Take the current description" }).click();
    await page.getByText("has another description").waitFor({ state: "detached" });
    expect(await documentAt(`journeys/${payload.service.name}.openapi.yaml`)).toMatchObject({
      headVersion: 2,
    });
    expect(opened.complaints).toEqual([]);
  });

  it("is a copy of a template, or a variant of a journey, or one request", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto("/journeys/new?from=template");
    await choose(page, "Template", "model.journey.yaml");
    // Not into the middle of the title that the choice fills in.
    await expect.poll(() => page.getByLabel("Title").inputValue()).toBe("Model");
    await page.getByLabel("Title").fill("Copied");
    expect(await documentAt(await makeIt(page, "ping"))).toMatchObject({
      title: "Copied",
      isTemplate: false,
    });

    const base = await documentAt("base.journey.yaml");
    await page.goto(`/journeys/${base?.id}`);
    await page.getByRole("link", { name: "New variant" }).click();
    const variant = await documentAt(await makeIt(page, "ping"));
    expect(variant).toMatchObject({ kind: "overlay", errorCount: 0, base: { id: base?.id } });
    await page.getByText("inherited", { exact: true }).waitFor();

    await page.goto("/journeys/new?from=empty");
    await page.getByLabel("URL of its first request").fill("no url");
    await page.getByText(/^This must be a whole URL/).waitFor();
    await page.getByLabel("URL of its first request").fill("https://a.example/up");
    await makeIt(page, "call");
    expect(opened.complaints).toEqual([]);
  });

  it("is imported from a file, byte for byte or converted with what is to look at", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto("/journeys/new?from=file");
    const file = (name: string, text: string) => ({
      name,
      mimeType: "text/plain",
      buffer: Buffer.from(text),
    });
    const input = page.getByLabel("File", { exact: true });
    await input.setInputFiles(file("a.yaml", "openapi: 3.1.0"));
    await page.getByText(/a\.yaml is an OpenAPI description/).waitFor();
    const request = {
      method: "GET",
      url: "https://a.example/",
      header: [{ key: "X-Api-Key", value: "canary-value" }],
    };
    const collection = { info: { name: "Orders" }, item: [{ name: "one", request }] };
    await input.setInputFiles(file("Orders.postman_collection.json", JSON.stringify(collection)));
    await page.getByText(/X-Api-Key is a secret/).waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await makeIt(page, "one");
    await page.goto("/journeys/new?from=file");
    const text = `# mine\r\n${journeyText("Mine").replaceAll("\n", "\r\n")}`;
    await input.setInputFiles(file("mine.journey.yaml", text));
    const stored = await documentAt(await makeIt(page, "ping"));
    expect(stored?.headHash).toBe(await sha256(text));
    expect(opened.complaints).toEqual([]);
  });

  it("keeps what was typed while the server can't be reached", async () => {
    await using opened = await ui.open({ isNew: true });
    const { page } = opened;
    await page.clock.install();
    await page.goto("/journeys/new?from=template");
    const title = page.getByLabel("Title");
    await title.fill("Typed");
    const journeys = /\/api\/journeys(\?|$)/;
    await page.route(journeys, (route) => route.abort());
    // A page that is looked at again loads what is older than 10 s.
    await page.clock.fastForward(11_000);
    await page.evaluate(`dispatchEvent(new Event("visibilitychange"))`);
    const notice = page.getByText("What you see may be out of date");
    await notice.waitFor();
    expect(await title.inputValue()).toBe("Typed");
    await page.unroute(journeys);
    await page.getByRole("button", { name: "Try again" }).click();
    await notice.waitFor({ state: "hidden" });
    expect(await title.inputValue()).toBe("Typed");
  });

  it("can't be made by a key that may only read", async () => {
    await using opened = await ui.open({ as: await createKey(ui.stack, ["journeys:read"]) });
    const { page } = opened;
    await page.goto("/journeys/new?from=empty");
    await page.getByText(/lacks journeys:write/).waitFor();
    expect(await page.getByRole("button", { name: "Make it" }).isDisabled()).toBe(true);
  });
});

async function sha256(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Buffer.from(hash).toString("hex");
}
