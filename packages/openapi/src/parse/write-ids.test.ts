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

test("ids are texts in every part of a description that has operations, whatever its name", async () => {
  const operation = "{ get: { operationId: 007 } }";
  const text = `
paths:
  /a:
    get:
      operationId: 007
      responses: { default: { links: { next: { operationId: 007 } } } }
      callbacks: { example: { "{$request.body#/url}": ${operation} } }
  x-none: ${operation}
webhooks: { schema: ${operation} }
x-webhooks: { example: ${operation} }
components:
  pathItems: { properties: ${operation} }
  callbacks: { schemas: { "{$request.body#/url}": ${operation} } }
  responses: { examples: { links: { definitions: { operationId: 007 } } } }
  links: { default: { operationId: 007 } }
`;
  const value = await written(text);
  expect(JSON.stringify(value).match(/"operationId":"007"/g)).toHaveLength(9);
  expect(value).toMatchObject({ paths: { "x-none": { get: { operationId: 7 } } } });
});

test("a document is walked once", async () => {
  const document = await parseDocument("paths: { /a: { get: { operationId: 007 } } }", "a");
  await writeIds(document);
  let walks = 0;
  const value = new Proxy(Object(document.value), {
    ownKeys: (target) => {
      walks++;
      return Reflect.ownKeys(target);
    },
  });
  const again = { ...document, value };
  await writeIds(again);
  await writeIds(again);
  expect(walks).toBe(1);
});

test("each of two calls at the same time returns when the ids are texts", async () => {
  const document = await parseDocument("a: &a { operationId: 007 }\nb: { operationId: 1.10 }\n", "a");
  void writeIds(document);
  await writeIds(document);
  expect(document.value).toEqual({ a: { operationId: "007" }, b: { operationId: "1.10" } });
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
