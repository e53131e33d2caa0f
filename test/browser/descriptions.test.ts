import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { scanDescription } from "@waymark/test-support/scans/described-run.ts";

const BOOKS = {
  openapi: "3.1.0",
  info: { title: "Bookshop", version: "1.4", description: "All about **books**." },
  servers: [{ url: "https://books.example/v1" }],
  tags: [{ name: "books", description: "What is sold." }],
  paths: {
    "/books/{id}": {
      get: {
        operationId: "readBook",
        summary: "Reads a book",
        tags: ["books"],
        parameters: [
          { name: "id", in: "path", required: true, schema: { type: "string", format: "uuid" } },
          { name: "expand", in: "query", deprecated: true, schema: { enum: ["author"] } },
        ],
        responses: {
          200: {
            description: "The book.",
            content: { "application/json": { schema: { $ref: "#/components/schemas/Book" } } },
          },
          404: { description: "There is none." },
        },
      },
      put: {
        tags: ["books"],
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/Book" } } },
        },
        responses: { 204: { description: "It is stored." } },
      },
    },
    "/health": { get: { responses: { 200: { description: "It works." } } } },
  },
  components: {
    schemas: {
      Book: {
        type: "object",
        required: ["title"],
        properties: {
          title: { type: "string", maxLength: 200, description: "As on the cover." },
          author: { $ref: "#/components/schemas/Author" },
          sequels: { type: "array", items: { $ref: "#/components/schemas/Book" } },
        },
      },
      Author: { type: "object", properties: { name: { type: ["string", "null"] } } },
    },
  },
};

let ui: TestConsole;
let books: { serviceId: string; scanRunId: string };
beforeAll(async () => {
  ui = await startConsole();
  const finding = { code: "no-example", severity: "low", message: "Has no example." } as const;
  books = await scanDescription(ui.stack, {
    serviceName: "books",
    description: BOOKS,
    findings: [{ ...finding, method: "GET", path: "/books/{id}" }],
  });
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

/** The addresses of other hosts that the page asks for. */
function outsideRequests(page: Page): string[] {
  const outside: string[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).host !== new URL(ui.stack.api.baseUrl).host) outside.push(request.url());
  });
  return outside;
}

describe("a service's description", () => {
  it("is shown whole: operations by tag, schemas that unfold, read once and in a thread of its own", async () => {
    await using opened = await ui.open({ context: { reducedMotion: "reduce" }, isNew: true });
    const { page } = opened;
    const outside = outsideRequests(page);
    const reads: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/description?form=canonical")) reads.push(request.url());
    });
    await page.goto(`/services/${books.serviceId}`);
    await page.getByRole("link", { name: "Description" }).click();
    await page.getByRole("heading", { name: "Bookshop 1.4" }).waitFor();
    await page.getByText("OpenAPI 3.1.0, 3 operations, 2 schemas").waitFor();
    await page.getByText("https://books.example/v1").waitFor();
    expect(page.workers()).toHaveLength(1);
    const tagged = page.getByRole("region", { name: "books (2)" });
    await page.getByRole("region", { name: "Without a tag (1)" }).waitFor();
    await tagged.getByRole("button", { name: "GET /books/{id}" }).click();
    await tagged.getByText("at most 200 characters").waitFor();
    await tagged.getByText("recursive: shown above").waitFor();
    await tagged.getByRole("button", { name: /author.*Author/ }).click();
    await tagged.getByText("string or null").waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.getByLabel("Search").fill("auth");
    await page.getByRole("region", { name: "Schemas (1)" }).getByText("Author").waitFor();
    await page.getByLabel("Search").fill("nothing like it");
    await page.getByText("Nothing in the description has these words").waitFor();
    expect(reads).toHaveLength(1);
    expect(outside).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });

  it("that is not stored says so, and what to do", async () => {
    const payload = scanPayload({ serviceName: "undescribed", endpoints: 2 });
    const { serviceId } = await ui.scan(payload);
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/services/${serviceId}/description`);
    const why = page.getByRole("status").filter({ hasText: "The description is not stored" });
    await why.getByText("scan the service again with the newest waymark command").waitFor();
    await page.goto(`/services/${serviceId}`);
    await page
      .getByRole("button", { name: payload.endpoints[0]?.path ?? "" })
      .first()
      .click();
    await page.getByRole("dialog").getByText("The description is not stored").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("is refused to a key that may not read endpoints", async () => {
    const key = await createKey(ui.stack, ["services:read"]);
    await using opened = await ui.open({ as: key });
    await opened.page.goto(`/services/${books.serviceId}/description`);
    await opened.page.getByText("You don't have access").waitFor();
    expect(await opened.page.getByText("Bookshop").count()).toBe(0);
  });

  it("of a stranger runs nothing, loads nothing from elsewhere and links to web pages only", async () => {
    const script = `<img src=https://evil.example/a.png onerror="window.hacked=1"><script>window.hacked=1</script>`;
    const text = `${script}\n\n[bad](javascript:window.hacked=1) ![pixel](https://evil.example/p.png) [good](https://docs.example/)`;
    const schema = {
      type: "object",
      title: script,
      description: text,
      properties: { [script]: { enum: [script] } },
    };
    const operation = {
      operationId: script,
      summary: script,
      description: text,
      tags: [script],
      parameters: [{ name: script, in: "query", description: text, schema }],
      responses: { 200: { description: text, content: { [script]: { schema, example: script } } } },
    };
    const { serviceId } = await scanDescription(ui.stack, {
      serviceName: "hostile",
      description: {
        openapi: "3.1.0",
        info: { title: script, version: script, description: text },
        servers: [{ url: "https://evil.example/steal" }, { url: "/api/session" }],
        tags: [{ name: script, description: text }],
        paths: { "/a": { get: operation } },
        components: { schemas: { A: schema } },
      },
    });
    await using opened = await ui.open({ isNew: true });
    const { page } = opened;
    const outside = outsideRequests(page);
    await page.goto(`/services/${serviceId}/description`);
    await page.getByRole("button", { name: "GET /a" }).click();
    await page.getByRole("region", { name: "Responses" }).getByText("Example", { exact: true }).click();
    await page.goto(`/services/${serviceId}/endpoint?of=GET+/a`);
    await page.getByRole("region", { name: "Responses" }).getByText("Example", { exact: true }).click();
    const main = page.getByRole("main");
    await main.getByText("window.hacked=1").first().waitFor();
    expect(await main.locator("img, script, iframe, form").count()).toBe(0);
    const links = await main
      .getByRole("link")
      .evaluateAll((all) => all.map((link) => (link as unknown as { href: string }).href));
    const foreign = links.filter((href) => !href.startsWith(ui.stack.api.baseUrl));
    expect([...new Set(foreign)]).toEqual(["https://evil.example/p.png", "https://docs.example/"]);
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    expect(outside).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });
});

describe("an endpoint", () => {
  it("opens beside its list by keyboard, closes with Escape, and has a page of its own", async () => {
    await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
    const { page } = opened;
    await page.goto(`/services/${books.serviceId}`);
    const row = page.getByRole("table").getByRole("button", { name: "/books/{id}" }).first();
    await row.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "GET /books/{id}" });
    await dialog.getByText("readBook").waitFor();
    await dialog.getByText("Path parameters").waitFor();
    await dialog.getByRole("link", { name: "Has no example." }).waitFor();
    await dialog.getByText("No journey calls it.").waitFor();
    await expect.poll(() => dialog.getByRole("definition").nth(2).textContent()).toMatch(/\d{4}/);
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await row.and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Enter");
    await dialog.getByRole("link", { name: "Open as a page" }).click();
    await page.getByRole("heading", { level: 1, name: "GET /books/{id}" }).waitFor();
    await page.getByText("at most 200 characters").waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.goto(`/services/${books.serviceId}/endpoint?of=PUT+/books/{id}`);
    await page.getByRole("region", { name: "Request body" }).getByText("As on the cover.").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("that an address does not name, or that no run has, is said", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/services/${books.serviceId}/endpoint`);
    await page.getByText("The address names no endpoint").waitFor();
    await page.goto(`/services/${books.serviceId}/endpoint?of=GET+/gone`);
    await page.getByText("The service's current run does not have this endpoint").waitFor();
    await page.getByText("The description of this run does not have this endpoint.").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("opens from the endpoints of a run", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/scan-runs/${books.scanRunId}?tab=endpoints`);
    await page.getByRole("table").getByRole("button", { name: "/health" }).click();
    await page.getByRole("dialog", { name: "GET /health" }).getByText("It works.").waitFor();
    await page.goBack();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(opened.complaints).toEqual([]);
  });
});
