import { parseText } from "@waymark/journeys/document/parse-text.ts";
import { describe, expect, test } from "vitest";
import { compareDocuments } from "./compare-documents.ts";

const BEFORE = `arazzo: 1.1.0
info: { title: Shop, version: 1.0.0 }
sourceDescriptions: [{ name: a, type: openapi, url: a.yaml }, { name: b, type: openapi, url: b.yaml }]
workflows:
  - workflowId: main
    steps:
      - stepId: login
        operationId: login
      - stepId: search
        operationId: search
        parameters: [{ name: q, in: query, value: tea }, { name: page, in: query, value: 1 }]
        successCriteria: [{ x-id: ok, condition: $statusCode == 200 }, { condition: $response.body#/n > 0 }]
      - stepId: buy
        operationId: buy
        requestBody: { payload: { item: { id: 1 }, count: 2 } }
      - stepId: leave
        operationId: leave
    x-journey:
      acceptanceCriteria: [{ id: AC-1, text: It can be bought., severity: must, provenBy: [buy#ok] }]
`;

const value = (text: string) => parseText(text, { file: "shop.journey.yaml" }).value ?? null;
/** Describes the meaning of edits to the text, a line for each change. */
const changes = (...edits: [string, string][]) => {
  const after = edits.reduce((text, [from, to]) => {
    expect(text).toContain(from);
    return text.replace(from, to);
  }, BEFORE);
  return compareDocuments(value(BEFORE), value(after)).map(
    ({ items, field, kind, before, after: now, follows }) =>
      [
        [...items, field.join(".")].join(" › "),
        kind,
        before === undefined ? "" : `from ${JSON.stringify(before)}`,
        now === undefined ? "" : `to ${JSON.stringify(now)}`,
        follows === undefined ? "" : `after ${follows}`,
      ]
        .filter((part) => part !== "")
        .join(" "),
  );
};

describe("what two versions of a journey differ in", () => {
  test("is nothing if only layout, comments and the order of keys differ", () => {
    expect(changes(["  - workflowId: main\n", "  # The way.\n  - workflowId: 'main'\n"])).toEqual([]);
    expect(changes(["{ item: { id: 1 }, count: 2 }", "{ count: 2, item: { id: 1 } }"])).toEqual([]);
  });

  test("is a field with its old and its new value, in its step", () => {
    expect(changes(["count: 2", "count: 3"], ["title: Shop", "title: Store"])).toEqual([
      'info.title changed from "Shop" to "Store"',
      "workflow main › step buy › requestBody.payload.count changed from 2 to 3",
    ]);
  });

  test("is an assertion or a parameter by its name, wherever it stands", () => {
    const criteria = "[{ x-id: ok, condition: $statusCode == 200 }, { condition: $response.body#/n > 0 }]";
    const turned = "[{ condition: $response.body#/n > 0 }, { x-id: ok, condition: $statusCode == 201 }]";
    expect(changes([criteria, turned])).toEqual([
      'workflow main › step search › assertion ok › condition changed from "$statusCode == 200" to "$statusCode == 201"',
    ]);
    expect(changes(["{ name: q, in: query, value: tea }, ", ""])).toEqual([
      'workflow main › step search › parameter q in query ›  removed from {"name":"q","in":"query","value":"tea"}',
    ]);
  });

  test("is a step that was added, removed or moved, and not the steps behind it", () => {
    const leave = "      - stepId: leave\n        operationId: leave\n";
    const first = "      - stepId: login\n";
    expect(changes([leave, ""], [first, leave + first])).toEqual(["workflow main › step leave ›  moved"]);
    expect(changes([first, `      - stepId: new\n        operationId: new\n${first}`])).toEqual([
      'workflow main › step new ›  added to {"stepId":"new","operationId":"new"}',
    ]);
    expect(changes([leave, ""])).toEqual([
      'workflow main › step leave ›  removed from {"stepId":"leave","operationId":"leave"}',
    ]);
  });

  test("names what a moved step follows, and what changed in it", () => {
    const login = "      - stepId: login\n        operationId: login\n";
    const leave = "      - stepId: leave\n";
    expect(
      changes([login, ""], [leave, login.replace("operationId: login", "operationId: signIn") + leave]),
    ).toEqual([
      "workflow main › step login ›  moved after step buy",
      'workflow main › step login › operationId changed from "login" to "signIn"',
    ]);
  });

  test("is a whole list where names are missing or repeated", () => {
    expect(changes(["stepId: leave", "stepId: buy"]).map((line) => line.slice(0, 36))).toEqual([
      "workflow main › steps changed from [",
    ]);
    expect(changes(["provenBy: [buy#ok]", "provenBy: [search#ok]"])).toEqual([
      'workflow main › criterion AC-1 › provenBy changed from ["buy#ok"] to ["search#ok"]',
    ]);
  });
});
