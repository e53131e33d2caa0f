import type { Program } from "@waymark/journeys/compile/program.ts";
import { prepareJourney } from "@waymark/journeys/run/prepare.ts";
import { runJourney } from "@waymark/journeys/run/run-journey.ts";
import { buildText } from "../support/build.ts";
import { fakeTransport, virtualClock } from "../support/fake.ts";
import { criterion, journey, oneStep, sandbox, wordFor } from "./case.ts";
import type { HostileCase } from "./case.ts";

const ok = () => ({ status: 200, body: { t: "x".repeat(1_000) } });
const steps = (list: readonly object[], more: object = {}) =>
  `\n  - ${JSON.stringify({ workflowId: "main", ...more, steps: list })}`;
const step = (id: string, more: object = {}) => ({ stepId: id, operationId: "a", ...more });

/** Each step's output is the one before twice. */
const doubling = Array.from({ length: 60 }, (_, n) => {
  const before = n === 0 ? "{$response.body#/t}" : `{$steps.s${n - 1}.outputs.t}`;
  return step(`s${n}`, { outputs: { t: before + before } });
});

const keeping = Array.from({ length: 60 }, (_, n) => step(`s${n}`, { outputs: { all: "$response.body" } }));

const workflow = (id: string, more: object) => ({ workflowId: id, steps: [step("one")], ...more });
const list = (workflows: readonly object[]) =>
  `\n${workflows.map((one) => `  - ${JSON.stringify(one)}`).join("\n")}`;

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
    what: "run, a wait of years",
    end: journey({
      workflows: oneStep(
        "successCriteria: [{ condition: $statusCode == 200 }], onFailure: [{ name: r, type: retry }]",
      ),
      answer: () => ({ status: 503, headers: { "Retry-After": "999999999" } }),
    }),
  },
  {
    what: "run, no answer at all",
    end: journey({ workflows: oneStep("timeout: 5000"), answer: () => "silence" }),
  },
  {
    what: "answer, 200,000 brackets",
    end: criterion(
      "simple",
      "$response.body#/0/0 == null",
      () => `${"[".repeat(200_000)}${"]".repeat(200_000)}`,
    ),
  },
  {
    what: "answer, 6 MB in one text",
    end: criterion("simple", "$response.body == 'x'", () => `"${"x".repeat(6_000_000)}"`),
  },
  {
    what: "answer, 1 MB of small numbers",
    end: criterion("jsonpath", "$[?@ == 2]", () => `[${"1,".repeat(500_000)}1]`),
  },
  {
    what: "answer, a number of a million digits",
    end: criterion("simple", "$response.body#/n == 1", () => `{"n": ${"9".repeat(1_000_000)}}`),
  },
  {
    what: "answer, 100,000 numbers beyond 2^53",
    end: criterion("jsonpath", "$[?@ == 1]", () => `[${"12345678901234567890,".repeat(100_000)}1]`),
  },
  {
    what: "answer, 100,000 names",
    end: criterion("simple", "$response.body#/n99999/x == 2", () =>
      Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`n${n}`, { x: 1 }])),
    ),
  },
  {
    what: "answer, 50,000 headers",
    end: journey({
      workflows: oneStep("successCriteria: [{ condition: $response.header.x9 == 'b' }]"),
      answer: () => ({
        status: 200,
        headers: Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`x${n}`, "a"])),
      }),
    }),
  },
  {
    what: "answer, prototypes as names",
    end: criterion(
      "simple",
      "$response.body#/__proto__/x == 2",
      () => '{"__proto__": {"x": 1}, "constructor": {"prototype": {"x": 2}}}',
    ),
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

export const DOCUMENTS: HostileCase[] = [
  {
    what: "document, a chain of 6,000 dependencies",
    end: journey({
      workflows: steps(
        Array.from({ length: 6_000 }, (_, n) =>
          step(`s${n}`, n === 5_999 ? {} : { dependsOn: [`s${n + 1}`] }),
        ),
      ),
      answer: ok,
    }),
  },
  {
    what: "document, a circle of 6,000 dependencies",
    end: journey({
      workflows: steps(
        Array.from({ length: 6_000 }, (_, n) => step(`s${n}`, { dependsOn: [`s${(n + 1) % 6_000}`] })),
      ),
      answer: ok,
    }),
  },
  {
    what: "document, a chain of 3,000 workflows",
    end: journey({
      workflows: list([
        workflow("main", { steps: [{ stepId: "w", workflowId: "w0" }] }),
        ...Array.from({ length: 3_000 }, (_, n) =>
          workflow(`w${n}`, n === 2_999 ? {} : { steps: [{ stepId: "w", workflowId: `w${n + 1}` }] }),
        ),
      ]),
      answer: ok,
    }),
  },
  {
    what: "document, 3,000 workflows that wait for each other",
    end: journey({
      workflows: list([
        workflow("main", { dependsOn: ["w0"] }),
        ...Array.from({ length: 3_000 }, (_, n) =>
          workflow(`w${n}`, n === 2_999 ? {} : { dependsOn: [`w${n + 1}`] }),
        ),
      ]),
      answer: ok,
    }),
  },
  {
    what: "document, 10,000 parentheses in a condition",
    end: journey({
      workflows: oneStep(
        `successCriteria: [{ condition: "${"(".repeat(10_000)}$statusCode == 200${")".repeat(10_000)}" }]`,
      ),
      answer: ok,
    }),
  },
  {
    what: "document, 20,000 times && in a condition",
    end: journey({
      workflows: oneStep(
        `successCriteria: [{ condition: "${Array(20_000).fill("$statusCode == 200").join(" && ")}" }]`,
      ),
      answer: ok,
    }),
  },
  {
    what: "document, a pointer of 100,000 parts",
    end: journey({
      workflows: oneStep(`outputs: { x: "$response.body#${"/a".repeat(100_000)}" }`),
      answer: ok,
    }),
  },
  {
    what: "document, a payload of 101 levels",
    end: journey({
      workflows: oneStep(`requestBody: { payload: ${"[".repeat(101)}1${"]".repeat(101)} }`, "aPost"),
      answer: ok,
    }),
  },
  {
    what: "document, aliases that double",
    end: text(
      `a: &a0 [x]\n${Array.from({ length: 30 }, (_, n) => `b${n}: &a${n + 1} [*a${n}, *a${n}]`).join("\n")}`,
    ),
  },
  { what: "document, 5 MB", end: text(`x: ${"y".repeat(5_000_000)}`) },
  { what: "document, 500,000 brackets", end: text("[".repeat(500_000)) },
  {
    what: "document, 200,000 keys",
    end: text(Array.from({ length: 200_000 }, (_, n) => `k${n}: 1`).join("\n")),
  },
  {
    what: "document, 2,000 unknown operations",
    end: journey({
      workflows: steps(Array.from({ length: 2_000 }, (_, n) => ({ stepId: `s${n}`, operationId: `x${n}` }))),
      answer: ok,
    }),
  },
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

function documentOf(workflows: string): string {
  return `arazzo: 1.1.0\ninfo: { title: T, version: 1.0.0 }\nsourceDescriptions: []\nworkflows:${workflows}`;
}

/** A text that is no journey. */
function text(source: string): () => Promise<string> {
  return async () => {
    const built = await buildText(source, { file: "t.yaml", sources: {} });
    return built.ok ? "accepted" : `refused: ${wordFor(built.problems[0]?.message ?? "")}`;
  };
}
