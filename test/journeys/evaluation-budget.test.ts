import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { processesOf, signal } from "../faults/support/processes-of.ts";
import { createSandbox } from "@waymark/journey-sandbox/create-sandbox.ts";
import { createLocalEvaluator } from "@waymark/journeys/evaluation/local-evaluator.ts";
import { play } from "./support/fake.ts";

const SPENT = "all patterns, queries and schemas together took longer than";
const NEVER_ENDS = { type: "regex", context: "$response.body", condition: "^(a+)+$" };
const AS = { status: 200, body: `${"a".repeat(50)}!`, type: "text/plain" };
const JSONPATH = { type: "jsonpath", context: "$response.body", condition: "$.a" };

const sandbox = createSandbox();

afterAll(() => {
  sandbox[Symbol.dispose]();
});

function steps(list: readonly object[], more: object = {}): string {
  return `\n  - ${JSON.stringify({ workflowId: "main", ...more, steps: list })}`;
}

describe("the time that the evaluations of a run have together", () => {
  test("ends a thousand criteria that would take a second each", async () => {
    const criteria = Array.from({ length: 1_000 }, () => NEVER_ENDS);
    const workflows = steps([{ stepId: "one", operationId: "a", successCriteria: criteria }]);
    const start = performance.now();
    const { result } = await play({ workflows, answer: () => AS, evaluator: sandbox });
    expect(performance.now() - start).toBeLessThan(60_000);
    const [first, second, third, ...others] = result.steps[0]?.assertions ?? [];
    expect(first?.explanation).toBe("it took longer than 1,000 ms");
    for (const one of [second, third, others.at(-1)])
      expect(one).toMatchObject({ status: "error", explanation: `${SPENT} 1,100 ms` });
    expect(result.status).toBe("failed");
  });

  test("grows with each request", async () => {
    const given = { evaluationMs: 0, evaluationMsPerRequest: 60_000 };
    const workflows = steps([{ stepId: "one", operationId: "a", successCriteria: [JSONPATH] }]);
    const run = (limits: typeof given) =>
      play({ workflows, answer: () => ({ status: 200, body: { a: 1 } }), options: { limits } });
    expect((await run(given)).result.status).toBe("passed");
    const spent = await run({ ...given, evaluationMsPerRequest: 0 });
    expect(spent.result.steps[0]?.assertions[0]).toMatchObject({
      status: "error",
      explanation: `${SPENT} 0 ms`,
    });
  });

  test("is given anew to the teardown", async () => {
    const evaluator = createLocalEvaluator((work) => {
      const end = performance.now() + 10;
      while (performance.now() < end);
      return work();
    });
    const one = { stepId: "one", operationId: "a", successCriteria: [JSONPATH, JSONPATH] };
    const drop = { stepId: "drop", operationId: "b", successCriteria: [JSONPATH] };
    const { result } = await play({
      workflows: steps([one, drop], { "x-journey": { teardown: [{ step: "drop" }] } }),
      answer: () => ({ status: 200, body: { a: 1 } }),
      evaluator,
      options: { limits: { evaluationMs: 5, evaluationMsPerRequest: 0 } },
    });
    expect(result.steps[0]?.assertions.map(({ status }) => status)).toEqual(["passed", "error"]);
    expect(result).toMatchObject({ status: "failed", teardown: { status: "passed" } });
  });
});

// Other systems don't tell what another process has used.
test.runIf(existsSync("/proc/self/stat"))(
  "an evaluation does not pay for the time in which others have the processor",
  async () => {
    const STOPPED_MS = 2_000;
    const others = await processesOf(process.pid);
    const own = createSandbox();
    await own.selectJsonPath("$.a", { a: 1 });
    const pid = (await processesOf(process.pid)).find((one) => !others.includes(one)) ?? 0;
    const used = () =>
      Number(
        readFileSync(`/proc/${pid}/stat`, "utf8")
          .replace(/^.*\) /, "")
          .split(" ")[11],
      );
    const [before, start] = [used(), performance.now()];
    const evaluation = own.testRegex(NEVER_ENDS.condition, AS.body).catch((error: Error) => error.message);
    await expect.poll(used, { interval: 10 }).toBeGreaterThan(before + 5);
    signal(pid, "SIGSTOP");
    await sleep(STOPPED_MS);
    signal(pid, "SIGCONT");
    expect(await evaluation).toBe("it took longer than 1,000 ms");
    expect(performance.now() - start).toBeGreaterThan(STOPPED_MS + 800);
    own[Symbol.dispose]();
  },
);
