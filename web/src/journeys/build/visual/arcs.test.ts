import type { JsonObject } from "@waymark/openapi/json.ts";
import { expect, test } from "vitest";
import { arcsOf } from "./arcs.ts";
import { outlineOf } from "./outline.ts";

const goto = (stepId: string) => ({ name: "jump", type: "goto", stepId });

function arcs(...steps: JsonObject[]) {
  const numbered = steps.map((step, at) => ({ stepId: `s${at}`, ...step }));
  return arcsOf(outlineOf({ workflows: [{ workflowId: "main", steps: numbered }] })[0]?.steps ?? []);
}

test("a jump is an arc from its step to its target, along the steps between", () => {
  expect(arcs({ onSuccess: [goto("s2")] }, {}, {}, {})).toEqual({
    lanes: 1,
    parts: [
      [{ kind: "success", lane: 0, shape: "upper", isTarget: false }],
      [{ kind: "success", lane: 0, shape: "through", isTarget: false }],
      [{ kind: "success", lane: 0, shape: "lower", isTarget: true }],
      [],
    ],
  });
  const [first, second] = arcs({}, { onFailure: [goto("s0")] }).parts;
  expect(first).toEqual([{ kind: "failure", lane: 0, shape: "upper", isTarget: true }]);
  expect(second).toEqual([{ kind: "failure", lane: 0, shape: "lower", isTarget: false }]);
});

test("a step that is repeated has one loop, for retries and polls", () => {
  const retry = { name: "again", type: "retry", retryLimit: 2 };
  const poll = { until: "$statusCode == 200" };
  const { parts } = arcs({ onFailure: [retry, { ...retry, name: "later" }], "x-journey": { poll } });
  expect(parts).toEqual([[{ kind: "repeat", lane: 0, shape: "loop", isTarget: true }]]);
});

test("arcs at the same step have lanes of their own, the shortest next to the steps", () => {
  const { lanes, parts } = arcs(
    { onSuccess: [goto("s3")], onFailure: [goto("s1")] },
    { onSuccess: [goto("s2")] },
    {},
    { onFailure: [goto("s4")] },
    {},
  );
  expect(lanes).toBe(3);
  expect(parts.map((row) => row.map(({ lane }) => lane).toSorted((a, b) => a - b))).toEqual([
    [0, 2],
    [0, 1, 2],
    [1, 2],
    [0, 2],
    [0],
  ]);
});

test("jumps to other workflows, to unknown steps and out of the journey have no arc", () => {
  const elsewhere = { name: "other", type: "goto", workflowId: "second" };
  const end = { name: "end", type: "end" };
  expect(arcs({ onSuccess: [elsewhere, end], onFailure: [goto("gone")] })).toEqual({
    lanes: 0,
    parts: [[]],
  });
});
