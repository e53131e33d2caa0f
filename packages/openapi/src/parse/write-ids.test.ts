import { expect, test } from "vitest";
import { parseDocument } from "./parse-document.ts";
import { writeIds } from "./write-ids.ts";

async function written(text: string): Promise<unknown> {
  const document = await parseDocument(text, "a");
  await writeIds(document);
  return document.value;
}

test.each([
  ["plain YAML", "a: { operationId: 007 }\nb: [{ operationId: 1.10 }, { operationId: True }]\n"],
  ["YAML with an anchor", "a: &a { operationId: 007 }\nb: [{ operationId: 1.10 }, { operationId: True }]\n"],
  [
    "YAML 1.1",
    "%YAML 1.1\n---\na: { operationId: 007 }\nb: [{ operationId: 1.10 }, { operationId: True }]\n",
  ],
])("ids are texts as they are written, in %s", async (_, text) => {
  expect(await written(text)).toEqual({
    a: { operationId: "007" },
    b: [{ operationId: "1.10" }, { operationId: "True" }],
  });
});

test("ids that YAML 1.1 reads as dates, and long numbers of JSON, are texts too", async () => {
  const date = "%YAML 1.1\n---\noperationId: 2024-01-02\n";
  expect(await written(date)).toEqual({ operationId: "2024-01-02" });
  expect(await written('{"operationId":12345678901234567890}')).toEqual({
    operationId: "12345678901234567890",
  });
});

test("data in schemas and examples stays as it is", async () => {
  const text =
    "a: &a { operationId: x, examples: { e: { value: { operationId: 7 } } } }\n" +
    "x-data: { operationId: 7 }\nschema: { properties: { operationId: true } }\n";
  const value = await written(text);
  expect(value).toEqual({
    a: { operationId: "x", examples: { e: { value: { operationId: 7 } } } },
    "x-data": { operationId: 7 },
    schema: { properties: { operationId: true } },
  });
});
