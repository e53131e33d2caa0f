// The runner of Step CI in one process, with the same journey in its own words.
import path from "node:path";
import { createRequire } from "node:module";
import { serveCalls } from "../support/calls.ts";
import { measureRuns } from "../support/journey-runs.ts";

interface StepCi {
  run: (workflow: unknown) => Promise<{ result: { passed: boolean } }>;
}

const folder = process.env["PEER"] ?? "";
const { run } = createRequire(path.join(folder, "package.json"))(folder) as StepCi;

const thing = "${{env.url}}/things/${{captures.id}}";

const STEPS = [
  {
    name: "create",
    http: {
      url: "${{env.url}}/things",
      method: "POST",
      json: { name: "widget", price: 10 },
      captures: { id: { jsonpath: "$.id" } },
      check: { status: 201, jsonpath: { "$.name": "widget" } },
    },
  },
  { name: "read", http: { url: thing, method: "GET", check: { status: 200 } } },
  {
    name: "update",
    http: {
      url: thing,
      method: "PUT",
      json: { name: "widget", price: 12 },
      check: { status: 200, jsonpath: { "$.price": 12 } },
    },
  },
  {
    name: "list",
    http: { url: "${{env.url}}/things", method: "GET", params: { limit: "50" }, check: { status: 200 } },
  },
  { name: "remove", http: { url: thing, method: "DELETE", check: { status: 204 } } },
];

serveCalls({
  ready: () => 0,
  run: ({ url, count }: { url: string; count: number }) =>
    measureRuns(count, async () => {
      const workflow = { version: "1.1", name: "things", env: { url }, tests: { life: { steps: STEPS } } };
      const { result } = await run(workflow);
      if (!result.passed) throw new Error(`stepci failed: ${JSON.stringify(result).slice(0, 2000)}`);
    }),
});
