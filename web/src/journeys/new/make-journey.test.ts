import { parseDocument } from "@waymark/journeys/document/parse.ts";
import { checkDocument } from "@waymark/journeys/rules/check-document.ts";
import { parseOverlay } from "@waymark/journeys/overlay/parse-overlay.ts";
import { describe, expect, it } from "vitest";
import { coverableIn } from "./coverable.ts";
import { descriptionOfScan } from "./description-of-scan.ts";
import { importFile } from "./import-file.ts";
import { makeJourney, type Source } from "./make-journey.ts";
import { newPath } from "./new-path.ts";

const ENDPOINTS = (
  [
    ["GET", "/things", "listThings"],
    ["POST", "/things", "createThing"],
    ["GET", "/things/{id}", null],
  ] as const
).map(([method, path, operationId]) => ({ method, path, operationId, summary: null }));

async function textOf(source: Source, path: string): Promise<string> {
  const made = await makeJourney(source, { title: "My title", path });
  if (!made.ok) throw new Error(made.message);
  return made.text;
}
const errorsOf = (text: string) =>
  checkDocument(parseDocument(text, { file: "a.yaml" })).filter(({ severity }) => severity === "error");

describe("a new journey", () => {
  const path = "journeys/a.openapi.json";
  const description = { path, text: descriptionOfScan("Things", ENDPOINTS) };

  it("of a scan covers the life of a resource or one operation, and refers to its description from its path", async () => {
    const covers = await coverableIn(description);
    expect(covers).toEqual({
      ok: true,
      resources: ["The life of one of /things"],
      operations: ["GET /things", "POST /things", "GET /things/{id}"],
    });
    if (!covers.ok) return;
    for (const one of [...covers.resources, ...covers.operations]) {
      const source = { kind: "service", name: "Things", description, covers: one } as const;
      const text = await textOf(source, "other/folder/b.journey.yaml");
      expect(errorsOf(text)).toEqual([]);
      expect(text).toContain("url: ../../journeys/a.openapi.json");
      expect(text).toContain("title: My title");
      expect(text).not.toContain("template:");
    }
  });

  it("can't be made of a text that is no description, and says why", async () => {
    expect(await coverableIn({ path, text: "a: [" })).toMatchObject({ ok: false });
    expect(await coverableIn({ path, text: "a: 1" })).toEqual({
      ok: false,
      message: `${path} is no OpenAPI description: it has neither openapi nor swagger.`,
    });
  });

  it("is a copy of a template, a variant of a base, or one request", async () => {
    const empty = await textOf({ kind: "empty", url: "https://a.example/" }, "a.journey.yaml");
    expect(errorsOf(empty)).toEqual([]);
    const template = { path: "t/t.journey.yaml", text: `# kept\n${empty}` };
    const copy = await textOf({ kind: "template", document: template }, "c.journey.yaml");
    expect(copy).toContain("# kept");
    expect(errorsOf(copy)).toEqual([]);
    const variant = await textOf({ kind: "variant", document: template }, "v/v.overlay.yaml");
    expect(parseOverlay(variant, { file: "v/v.overlay.yaml" }).model?.extends).toBe("../t/t.journey.yaml");
  });
});

describe("a file", () => {
  it("of Arazzo or an overlay stays byte for byte", () => {
    const arazzo = "# mine\r\narazzo: 1.0.1\r\ninfo: { title: Mine }\r\n";
    expect(importFile("a.yaml", arazzo)).toMatchObject({ ok: true, text: arazzo, title: "Mine" });
    const overlay = '{ "overlay": "1.1.0", "info": { "title": "O" } }';
    expect(importFile("o.json", overlay)).toMatchObject({ ok: true, kind: "overlay", text: overlay });
  });

  it("of Postman or a recording is converted, with notes, and without its secrets", () => {
    const request = {
      method: "GET",
      url: "https://a.example/",
      header: [{ key: "X-Api-Key", value: "s3cr3t-k3y-value" }],
    };
    const collection = JSON.stringify({ info: { name: "Orders" }, item: [{ name: "one", request }] });
    const imported = importFile("Orders.postman_collection.json", collection);
    expect(imported).toMatchObject({ ok: true, kind: "journey", title: "Orders" });
    if (!imported.ok) return;
    expect(imported.text).not.toContain("s3cr3t");
    expect(imported.notes.length).toBeGreaterThan(0);
    const har = JSON.stringify({
      log: {
        entries: [
          {
            request: { method: "GET", url: "https://a.example/things", headers: [] },
            response: { status: 200, headers: [], content: { mimeType: "application/json", text: "{}" } },
          },
        ],
      },
    });
    expect(importFile("recorded.har", har)).toMatchObject({ ok: true, title: "recorded" });
  });

  it("of anything else is refused with a reason", () => {
    expect(importFile("a.yaml", "openapi: 3.1.0")).toMatchObject({ ok: false });
    expect(importFile("a.yaml", "a: [")).toMatchObject({ ok: false });
    expect(importFile("a.json", '{"a":1}')).toMatchObject({ ok: false });
  });
});

it("a new path has the title's words, and no document has it", () => {
  const taken = new Set(["journeys/uber-orders.journey.yaml"]);
  expect(newPath("Über orders!", { kind: "journey", taken })).toBe("journeys/uber-orders-2.journey.yaml");
  expect(newPath("…", { kind: "overlay", taken })).toBe("journeys/new.overlay.yaml");
});
