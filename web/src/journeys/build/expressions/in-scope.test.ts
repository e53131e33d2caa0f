import { parseText } from "@waymark/journeys/document/parse-text.ts";
import { isObject, ownArray } from "@waymark/openapi/json.ts";
import { expect, it } from "vitest";
import { completionsAt } from "../text/completion.ts";
import { namesIn } from "../text/names.ts";
import { expressionsInScope } from "./in-scope.ts";

const TEXT = `
workflows:
  - workflowId: main
    inputs: { properties: { title: {} } }
    steps:
      - stepId: add
        outputs: { id: $response.body#/id, first.name: "Bearer {$response.header.x-name}" }
      - stepId: see
        outputs: { title: $response.body#/title }
      - stepId: drop
        outputs: { when: $response.header.date }
    x-journey: { vars: { run: { generate: uuid } } }
`;
const { value } = parseText(TEXT, { file: "" });
const [workflow = {}] = ownArray(value, "workflows").filter(isObject);
const offered = (at: number, isAfterResponse: boolean, responseFields: string[] = []) =>
  Object.fromEntries(
    expressionsInScope({ workflow, at, responseFields }, isAfterResponse)
      .filter(({ group }) => group !== "Functions")
      .map(({ group, items }) => [group, items]),
  );

it("offers inputs, variables and the outputs of the steps before", () => {
  expect(offered(1, false)).toEqual({
    "Outputs of steps before": ["$steps.add.outputs.id", "$steps.add.outputs.first.name"],
    Inputs: ["$inputs.title"],
    Variables: ["$vars.run"],
  });
  expect(offered(0, false)).toEqual({ Inputs: ["$inputs.title"], Variables: ["$vars.run"] });
  expect(offered(2, false)["Outputs of steps before"]).toContain("$steps.see.outputs.title");
});

it("offers of a response what the description has, and what the workflow uses", () => {
  expect(offered(1, true, ["id", "a/b"])["The response"]).toEqual([
    "$response.body#/id",
    "$response.body#/a~1b",
    "$response.header.x-name",
    "$response.body#/title",
    "$response.header.date",
    "$statusCode",
    "$response.body",
    "$request.body",
    "$url",
    "$method",
  ]);
});

it("offers functions, as the text's completion does with what they take and give", () => {
  const [functions] = expressionsInScope({ workflow, at: 0, responseFields: [] }, false).filter(
    ({ group }) => group === "Functions",
  );
  expect(functions?.items).toEqual(expect.arrayContaining(["$fn.uuid()", "$fn.now()", "$fn.hmac("]));
  const typed = 'value: "{$fn.base64($fn.jo';
  const found = completionsAt(typed, typed.length, { ...namesIn(value), operations: [] });
  expect(found?.from).toBe(typed.indexOf("$fn.jo"));
  const options = found?.options ?? [];
  expect(options.map(({ label }) => label)).toEqual(expect.arrayContaining(functions?.items ?? []));
  expect(options).toContainEqual({
    label: "$fn.join(",
    detail: "(separator, …values): Values and the items of lists, with a separator between them",
  });
});

it("offers what the text's completion offers too", () => {
  const names = { ...namesIn(value), operations: [] };
  const inText = (typed: string) =>
    completionsAt(typed, typed.length, names)?.options.map(({ label }) => label) ?? [];
  const all = [...inText("value: $"), ...inText("value: $steps.add."), ...inText("value: $steps.see.")];
  const { "The response": _, ...groups } = offered(2, true);
  expect(all).toEqual(expect.arrayContaining(Object.values(groups).flat()));
});
