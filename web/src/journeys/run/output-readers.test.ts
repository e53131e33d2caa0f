import { expect, test } from "vitest";
import { Artifact, readersOfStep } from "./output-readers.ts";

const reads = (output: string) => ({ expr: { kind: "step", step: "create", output } });
const condition = { op: "==", left: { ...reads("id"), text: "" }, right: { literal: 1, text: "1" } };
const create = { id: "create", outputs: { id: { expr: { kind: "body", of: "response" } } } };
const artifact = Artifact.parse({
  program: {
    entry: "key of main",
    workflows: {
      "key of main": {
        id: "main",
        steps: [
          create,
          {
            id: "read",
            target: { kind: "external", method: "get", url: ["https://api.example/", reads("id").expr] },
            parameters: [{ name: "id", in: "path", value: reads("id"), rule: {} }],
            criteria: [
              { id: "same", type: "simple", text: "", condition },
              { type: "simple", text: "", condition },
            ],
            onFailure: [{ name: "again", criteria: [{ type: "simple", text: "", condition }] }],
            outputs: { copy: reads("id") },
          },
          {
            id: "send",
            // A payload may look like an expression, and name its members as a program does.
            body: { payload: { object: { const: reads("token"), plain: { const: reads("id") } } } },
          },
        ],
        outputs: { made: reads("id") },
        teardown: [{ step: "remove", when: { text: "", condition } }],
      },
      login: { id: "login", steps: [create, { id: "use", parameters: [{ name: "x", value: reads("id") }] }] },
    },
  },
});

test("every part that reads an output is named, with its step", () => {
  const readers = readersOfStep(artifact, { id: "create" });
  expect(readers.get("id")).toEqual([
    {
      step: "read",
      parts: ["URL", "parameter id", "assertion same", "assertion 2", "action again", "output copy"],
    },
    { step: undefined, parts: ["output made", "teardown"] },
  ]);
  expect(readers.get("token")).toEqual([{ step: "send", parts: ["body"] }]);
  expect(readersOfStep(artifact, { id: "send" }).size).toBe(0);
});

test("a step of another workflow has the readers of that workflow", () => {
  const readers = readersOfStep(artifact, { id: "create", workflow: "login" });
  expect([...readers]).toEqual([["id", [{ step: "use", parts: ["parameter x"] }]]]);
});
