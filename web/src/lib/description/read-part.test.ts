import { describe, expect, test } from "vitest";
import { readPart } from "./read-part.ts";

const user = {
  type: "object",
  required: ["name"],
  properties: { name: { type: "string", maxLength: 20 }, tags: { items: { enum: ["a", "b"] } } },
};
const ROOT = {
  paths: { "/users": { post: { parameters: [{ name: "dry", in: "query" }] } } },
  components: { schemas: { User: user } },
};
const USER = "/components/schemas/User";

describe("the part of a description that a pointer leads into", () => {
  test.each([
    ["a keyword: its schema", `${USER}/properties/name/maxLength`, `${USER}/properties/name`],
    ["a list: the schema that has it", `${USER}/required`, USER],
    ["a property: the property", `${USER}/properties/name`, `${USER}/properties/name`],
    ["a property that is not there: the schema that would have it", `${USER}/properties/gone`, USER],
    ["a keyword in a place that is not there", `${USER}/properties/gone/items/type`, USER],
    [
      "a parameter of a list: the parameter",
      "/paths/~1users/post/parameters/0",
      "/paths/~1users/post/parameters/0",
    ],
    [
      "a parameter that is not there: the operation",
      "/paths/~1users/post/parameters/1",
      "/paths/~1users/post",
    ],
  ])("%s", (_what, pointer, expected) => {
    expect(readPart(ROOT, { pointer })?.pointer).toBe(expected);
  });

  test("as JSON", () => {
    expect(readPart(ROOT, { pointer: `${USER}/properties/name/maxLength` })).toEqual({
      pointer: `${USER}/properties/name`,
      text: '{\n  "type": "string",\n  "maxLength": 20\n}',
      depth: 12,
      isCut: false,
    });
  });

  test("is nothing where that would be the whole description", () => {
    expect(readPart(ROOT, { pointer: "" })).toBeNull();
    expect(readPart(ROOT, { pointer: "/info" })).toBeNull();
    expect(readPart(ROOT, { pointer: "no pointer" })).toBeNull();
  });

  test("has at most 200 lines, is cut from the inside, and says so", () => {
    const wide = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [`p${n}`, { type: "string", items: { minimum: n, maximum: n } }]),
    );
    const part = readPart({ big: { properties: wide, type: "object" } }, { pointer: "/big/type" });
    expect(part?.isCut).toBe(true);
    expect(part?.text.split("\n").length).toBeLessThanOrEqual(200);
    expect(JSON.parse(part?.text ?? "")).toMatchObject({ properties: { p59: "…" }, type: "object" });
    const small = readPart({ big: { type: { a: { b: 1 } } } }, { pointer: "/big/type/a", depth: 1 });
    expect([small?.text, small?.depth]).toEqual(['{\n  "b": 1\n}', 1]);
    expect(part?.depth).toBeLessThan(12);
    const long = readPart(
      { big: Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`k${n}`, n])) },
      { pointer: "/big" },
    );
    expect([long?.isCut, long?.text.split("\n").length]).toEqual([true, 200]);
  });
});
