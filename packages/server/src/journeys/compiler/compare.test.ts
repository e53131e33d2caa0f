import { zstdDecompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { compare } from "./compare.ts";
import { openSession } from "./session.ts";

/** Compares two texts, and returns the verdicts as they are stored. */
async function verdictsOn(base: string, head: string) {
  const session = openSession(async (path) => Buffer.from(path === "base" ? base : head));
  const document = { base: "base", head: "head", bytesMax: 1_000_000, today: "2026-01-01" };
  const { verdictParts } = await compare(session, document);
  const verdicts = verdictParts.flatMap((part) => JSON.parse(zstdDecompressSync(part).toString()));
  return {
    removed: verdicts.find(({ id }) => id === "operation-removed"),
    other: verdicts.find(({ id }) => id !== "operation-removed"),
  };
}

const BASE = `openapi: 3.1.0
info: { title: Pets, version: "1" }
paths:
  /pets:
    get: { responses: { "200": { description: d } } }
    delete: { responses: { "200": { description: d } } }
`;
const HEAD = BASE.replace(/ {4}delete.*\n/, "").replace(
  "get: {",
  "get: { parameters: [{ name: a, in: query, required: true, schema: {} }],",
);
const ONE_LINE = [
  '{"openapi":"3.1.0","paths":{"/pets":{"delete":{"responses":{}},"get":{"responses":{}}}}}',
  '{"openapi":"3.1.0","paths":{"/pets":{"get":{"parameters":[{"name":"a","in":"query","required":true,"schema":{}}],"responses":{}}}}}',
] as const;

describe("the place of a verdict", () => {
  it("is a line of the text that was sent", async () => {
    const { removed, other } = await verdictsOn(BASE, HEAD);
    expect(removed.base).toEqual({ file: "", pointer: "/paths/~1pets/delete", line: 6, column: 5 });
    expect(other.head).toMatchObject({ pointer: "/paths/~1pets/get/parameters/0", line: 5 });
  });

  it.each(["", "\n", "\r\n"])("is a pointer alone where the text is one line and %j", async (end) => {
    const { removed, other } = await verdictsOn(`${ONE_LINE[0]}${end}`, `${ONE_LINE[1]}${end}`);
    expect(removed.base).toEqual({ file: "", pointer: "/paths/~1pets/delete", line: null, column: null });
    expect(other.head).toEqual({
      file: "",
      pointer: "/paths/~1pets/get/parameters/0",
      line: null,
      column: null,
    });
  });

  it("is where an alias is used, of what stands elsewhere", async () => {
    const text = (type: string) => `openapi: 3.1.0
x-ok: &ok
  content: { application/json: { schema: { type: ${type} } } }
paths:
  /pets:
    get:
      responses:
        "200": *ok
`;
    const { other } = await verdictsOn(text("string"), text("integer"));
    expect(other.head).toMatchObject({ line: 8 });
  });
});
