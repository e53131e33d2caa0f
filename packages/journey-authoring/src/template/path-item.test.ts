import { expect, test } from "vitest";
import { operationsOf, pathItemAt } from "./openapi-shape.ts";
import { requiredParameters } from "./required-parameters.ts";

const parameter = (name: string, example: string) => ({ name, in: "query", required: true, example });

test("a path item has the fields beside its $ref and those that it leads to", () => {
  const root = {
    openapi: "3.1.0",
    paths: {
      "/a": {
        $ref: "#/components/pathItems/a",
        parameters: [parameter("both", "near"), parameter("own", "x")],
      },
    },
    components: {
      pathItems: {
        a: { get: { summary: "s" }, parameters: [parameter("both", "far"), parameter("deep", "y")] },
      },
    },
  };
  const [operation] = operationsOf(root);
  expect(operation).toEqual({ method: "get", path: "/a", value: { summary: "s" } });
  if (operation === undefined) return;
  expect(requiredParameters(root, operation).map(({ name, value }) => [name, value])).toEqual([
    ["deep", "y"],
    ["both", "near"],
    ["own", "x"],
  ]);
});

test.each(["#/components/nowhere", "other.yaml", "#/paths/~1a"])(
  "a path item whose $ref can't be followed has its own fields: %s",
  ($ref) => {
    const root = { paths: { "/a": { $ref, get: { summary: "s" } } } };
    expect(pathItemAt(root, "/a")).toMatchObject({ get: { summary: "s" }, parameters: [] });
  },
);
