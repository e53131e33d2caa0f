import { expect, test } from "vitest";
import { compareValues } from "./test-support/compare-texts.ts";

const get = { operationId: "get", responses: { 200: { description: "d" } } };
const query = (name: string, more: object = {}) => ({
  name,
  in: "query",
  schema: { type: "string" },
  ...more,
});

function beside(fields: object, target: object = {}) {
  return {
    openapi: "3.1.0",
    info: { title: "T", version: "1" },
    paths: { "/a": { $ref: "#/components/pathItems/a", ...fields } },
    components: { pathItems: { a: { get, ...target } } },
  };
}

test.each<[string, object, object]>([
  [
    "a parameter that is now required",
    beside({ parameters: [query("q")] }),
    beside({ parameters: [query("q", { required: true })] }),
  ],
  [
    "a parameter that overrides the one behind the $ref",
    beside({}, { parameters: [query("q")] }),
    beside({ parameters: [query("q", { required: true })] }, { parameters: [query("q")] }),
  ],
  ["an operation", beside({ put: get }), beside({})],
  [
    "a server",
    beside({ servers: [{ url: "https://a.test/v1" }] }),
    beside({ servers: [{ url: "https://a.test/v2" }] }),
  ],
])("%s beside a path item's $ref is compared", async (_, base, head) => {
  const verdicts = await compareValues(base, head);
  expect(verdicts.map(({ level }) => level)).toContain("breaking");
  expect(await compareValues(base, base)).toEqual([]);
});

test("fields beside the $ref that say the same as the target change nothing", async () => {
  const parameters = [query("q")];
  expect(await compareValues(beside({ parameters }), beside({}, { parameters }))).toEqual([]);
});

test("an id is the same with and without quotes", async () => {
  const text =
    "openapi: 3.1.0\ninfo: { title: T, version: '1' }\npaths: { /a: { get: { operationId: 007, responses: {} } } }\n";
  expect(await compareValues(text, text.replace("007", "'007'"))).toEqual([]);
  expect(await compareValues(text, text.replace("007", "'7'"))).not.toEqual([]);
});
