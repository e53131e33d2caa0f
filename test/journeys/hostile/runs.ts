import type { Program } from "@waymark/journeys/program/program.ts";
import { prepareJourney } from "@waymark/journeys/run/prepare.ts";
import { runJourney } from "@waymark/journeys/run/run-journey.ts";
import { buildText } from "../support/build.ts";
import { fakeTransport, virtualClock } from "../support/fake.ts";
import { journey, oneStep, sandbox, wordFor } from "./case.ts";
import type { HostileCase } from "./case.ts";
import { documentOf, ok, step, steps } from "./parts.ts";

/** Each step's output contains the previous one twice. */
const doubling = Array.from({ length: 60 }, (_, n) => {
  const before = n === 0 ? "{$response.body#/t}" : `{$steps.s${n - 1}.outputs.t}`;
  return step(`s${n}`, { outputs: { t: before + before } });
});

const keeping = Array.from({ length: 60 }, (_, n) => step(`s${n}`, { outputs: { all: "$response.body" } }));

const NEVER_ENDS = { type: "regex", context: "$response.body", condition: "^(a+)+$" };

export const RUNS: HostileCase[] = [
  {
    what: "run, a million retries",
    end: journey({
      workflows: oneStep(
        "successCriteria: [{ condition: $statusCode == 200 }], onFailure: [{ name: r, type: retry, retryLimit: 1000000 }]",
      ),
      answer: () => ({ status: 500 }),
    }),
  },
  {
    what: "run, steps in a circle",
    end: journey({ workflows: oneStep("onSuccess: [{ name: g, type: goto, stepId: one }]"), answer: ok }),
  },
  {
    what: "run, a workflow that calls itself",
    end: journey({
      workflows: "\n  - { workflowId: main, steps: [{ stepId: one, workflowId: main }] }",
      answer: ok,
    }),
  },
  {
    what: "run, an output that doubles with each step",
    end: journey({ workflows: steps(doubling), answer: ok }),
  },
  {
    what: "run, 60 outputs of 1 MB",
    end: journey({ workflows: steps(keeping), answer: () => ({ status: 200, body: "x".repeat(1_000_000) }) }),
  },
  {
    what: "run, a payload with 2,000 times the answer",
    end: journey({
      workflows: steps([
        step("one", { outputs: { t: "$response.body" } }),
        {
          stepId: "two",
          operationId: "aPost",
          requestBody: {
            contentType: "application/json",
            payload: Array.from({ length: 2_000 }, () => "$steps.one.outputs.t"),
          },
        },
      ]),
      answer: () => ({ status: 200, body: "x".repeat(500_000) }),
    }),
  },
  {
    what: "run, a text with 2,000 times the answer",
    end: journey({
      workflows: steps([
        step("one", { outputs: { t: "$response.body" } }),
        {
          stepId: "two",
          operationId: "aPost",
          requestBody: { contentType: "text/plain", payload: "{$steps.one.outputs.t}".repeat(2_000) },
        },
      ]),
      answer: () => ({ status: 200, body: "x".repeat(500_000) }),
    }),
  },
  {
    what: "run, a condition with 2,000 times the answer",
    end: journey({
      workflows: oneStep(`successCriteria: [{ condition: "'${"{$response.body}".repeat(2_000)}' == 'x'" }]`),
      answer: () => ({ status: 200, body: "x".repeat(500_000) }),
    }),
  },
  {
    what: "run, redirects for ever",
    end: journey({
      workflows: oneStep("timeout: 5000"),
      answer: (_, n) => ({ status: 302, headers: { Location: `/b?${n}` } }),
      options: { followRedirects: true },
    }),
  },
  {
    what: "run, 1,000 criteria that never end",
    end: journey({
      workflows: oneStep(
        `successCriteria: ${JSON.stringify(Array.from({ length: 1_000 }, () => NEVER_ENDS))}`,
      ),
      answer: () => ({ status: 200, body: `${"a".repeat(50)}!`, type: "text/plain" }),
    }),
  },
  {
    what: "run, a wait of years",
    waits: true,
    end: journey({
      workflows: oneStep(
        "successCriteria: [{ condition: $statusCode == 200 }], onFailure: [{ name: r, type: retry }]",
      ),
      answer: () => ({ status: 503, headers: { "Retry-After": "999999999" } }),
    }),
  },
  {
    what: "run, no answer at all",
    waits: true,
    end: journey({ workflows: oneStep("timeout: 5000"), answer: () => "silence" }),
  },
  {
    what: "run, a poll without end",
    end: journey({
      workflows: oneStep("x-journey: { poll: { until: $statusCode == 201, everyMs: 1, maxMs: 600000 } }"),
      answer: () => ({ status: 200 }),
    }),
  },
  {
    what: "run, a replacement of 1 MB at 10,000 places",
    end: journey({
      workflows: steps([
        step("one", { outputs: { t: "$response.body" } }),
        {
          stepId: "two",
          operationId: "aPost",
          requestBody: {
            contentType: "application/json",
            payload: Array.from({ length: 10_000 }, () => 0),
            replacements: [{ target: "$[*]", targetSelectorType: "jsonpath", value: "$steps.one.outputs.t" }],
          },
        },
      ]),
      answer: () => ({ status: 200, body: "x".repeat(1_000_000), type: "text/plain" }),
    }),
  },
  handMade("goto to a step that is not there", (program) => {
    program.workflows["main"]?.steps[0]?.onSuccess.push({
      name: "g",
      type: "goto",
      step: "nowhere",
      parameters: [],
      criteria: [],
    });
  }),
  handMade("goto to a workflow that is not there", (program) => {
    program.workflows["main"]?.steps[0]?.onSuccess.push({
      name: "g",
      type: "goto",
      workflow: "nowhere",
      parameters: [],
      criteria: [],
    });
  }),
];

function handMade(what: string, change: (program: Program) => void): HostileCase {
  return {
    what: `program made by hand, ${what}`,
    end: async () => {
      const built = await buildText(
        documentOf(
          "\n  - { workflowId: main, steps: [{ stepId: one, x-operation: { url: https://api.example/a, method: GET } }] }",
        ),
        { file: "t.yaml", sources: {} },
      );
      if (!built.ok) throw new Error(built.problems[0]?.message);
      change(built.artifact.program);
      const { transport } = fakeTransport(ok);
      const deps = { transport, clock: virtualClock(), random: () => 0.5, resolveSecret: () => undefined };
      const result = await runJourney(prepareJourney(built.artifact, { evaluator: sandbox }), deps);
      return `run ${result.status}: ${wordFor(result.error?.message ?? "")}`;
    },
  };
}
