import { describe, expect, test } from "vitest";
import { listOperationNames } from "./operation-names.ts";

const names = (document: unknown, max = 100) =>
  listOperationNames(document, max).map(({ method, path }) => `${method} ${path}`);

describe("the operations of a description", () => {
  test("are those of its paths, in their order", () => {
    const paths = {
      "/b": { get: {}, parameters: [] },
      "/a": { trace: {}, post: {} },
      "x-internal": { get: {} },
    };
    expect(names({ paths })).toEqual(["GET /b", "POST /a", "TRACE /a"]);
  });

  test("include those that references lead to, and those beside a reference", () => {
    const document = {
      paths: { "/a": { $ref: "#/components/pathItems/a", put: {} }, "/b": { get: { $ref: "#/x-shared" } } },
      components: { pathItems: { a: { get: {}, put: {} } } },
      "x-shared": { responses: {} },
    };
    expect(names(document)).toEqual(["GET /a", "PUT /a", "GET /b"]);
  });

  test("are none where there are no paths", () => {
    for (const document of [{}, { paths: null }, { paths: {} }, { paths: { "/a": null } }])
      expect(names(document)).toEqual([]);
  });

  test("are listed up to a limit, and one more", () => {
    const paths = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`/${n}`, { get: {} }]));
    expect(names({ paths }, 10)).toHaveLength(11);
  });
});

test.each([
  [{ paths: [] }, "/paths", "must be an object"],
  [{ paths: { "/a": 1 } }, "/paths/~1a", "must be an object"],
  [{ paths: { "/a": { get: [] } } }, "/paths/~1a/get", "must be an object"],
  [{ paths: { "/a": { $ref: "#/nowhere" } } }, "/paths/~1a", 'the reference "#/nowhere" leads nowhere'],
  [{ paths: { "/a": { $ref: "#/paths/~1a" } } }, "/paths/~1a", "refers to itself"],
  [{ paths: { "/a": { $ref: "other.yaml" } } }, "/paths/~1a", "was not given"],
])("%j is refused with its place", (document, pointer, message) => {
  expect(() => listOperationNames(document, 10)).toThrow(
    expect.objectContaining({ pointer, message: expect.stringContaining(message) }),
  );
});
