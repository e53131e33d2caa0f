import { parseDocument } from "@waymark/journeys/document/parse.ts";
import { applyOverlays } from "@waymark/journeys/overlay/apply.ts";
import { parseOverlay } from "@waymark/journeys/overlay/parse-overlay.ts";
import { buildText } from "../support/build.ts";
import { journey, oneStep, wordFor } from "./case.ts";
import type { End, HostileCase } from "./case.ts";
import { documentOf, ok, step, steps } from "./parts.ts";

const workflow = (id: string, more: object) => ({ workflowId: id, steps: [step("one")], ...more });
const list = (workflows: readonly object[]) =>
  `\n${workflows.map((one) => `  - ${JSON.stringify(one)}`).join("\n")}`;

/** Schemas, each of which refers to the next one by its anchor. */
const anchors = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      `i${n}`,
      { $anchor: `a${n}`, ...(n === count - 1 ? { type: "object" } : { allOf: [{ $ref: `#a${n + 1}` }] }) },
    ]),
  );

/** Each of so many actions looks at all steps. */
const manyTargets = Array.from({ length: 500 }, (_, n) => ({
  target: `$.workflows[*].steps[?@.stepId == 's${n}'].description`,
  update: "y",
}));

/** Each second action copies the head of the document, with all of its copies, into itself. */
const doublingCopies = Array.from({ length: 30 }, (_, n) => [
  { target: "$.info", update: { [`x-${n}`]: {} } },
  { target: `$.info['x-${n}']`, copy: "$.info" },
]).flat();

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
    what: "document, 200 workflows that all wait for each other",
    end: journey({
      workflows: list(
        Array.from({ length: 200 }, (_, n) =>
          workflow(n === 0 ? "main" : `w${n}`, {
            dependsOn: Array.from({ length: 200 }, (__, other) => (other === 0 ? "main" : `w${other}`)),
          }),
        ),
      ),
      answer: ok,
    }),
  },
  {
    what: "document, 2,000 steps with 5,000 operations",
    end: journey({
      workflows: steps(Array.from({ length: 2_000 }, (_, n) => ({ stepId: `s${n}`, operationId: `o${n}` }))),
      source: {
        openapi: "3.1.0",
        servers: [{ url: "https://api.example" }],
        paths: Object.fromEntries(
          Array.from({ length: 5_000 }, (_, n) => [
            `/o${n}`,
            { get: { operationId: `o${n}`, responses: {} } },
          ]),
        ),
      },
      answer: ok,
    }),
  },
  { what: "document, 500 actions of an overlay", end: overlaid(2_000, manyTargets) },
  { what: "document, actions of an overlay that double it", end: overlaid(10, doublingCopies) },
  {
    what: "document, 20,000 sources that are not there",
    end: text(
      `arazzo: 1.1.0\ninfo: { title: T, version: 1.0.0 }\nsourceDescriptions:\n${Array.from({ length: 20_000 }, (_, n) => `  - { name: s${n}, url: s${n}.yaml }`).join("\n")}\nworkflows: [{ workflowId: main, steps: [{ stepId: one, operationId: $sourceDescriptions.s1.a }] }]`,
    ),
  },
  {
    what: "document, 2,000 anchors that refer to each other",
    end: journey({
      workflows: `\n  - workflowId: main\n    inputs: { $ref: "#a0" }\n    steps: [{ stepId: one, operationId: a }]\ncomponents: { inputs: ${JSON.stringify(anchors(2_000))} }`,
      answer: ok,
    }),
  },
  {
    what: "document, 4 MB of comments",
    end: text(`# ${"x".repeat(100)}\n`.repeat(40_000)),
  },
  {
    what: "description, references in a circle",
    end: journey({
      workflows: oneStep("timeout: 5000"),
      source: {
        openapi: "3.1.0",
        servers: [{ url: "https://api.example" }],
        paths: { "/a": { $ref: "#/paths/~1b" }, "/b": { $ref: "#/paths/~1a" } },
      },
      answer: ok,
    }),
  },
  {
    what: "description, 20,000 operations",
    end: journey({
      workflows: oneStep("timeout: 5000"),
      source: {
        openapi: "3.1.0",
        servers: [{ url: "https://api.example" }],
        paths: Object.fromEntries(
          Array.from({ length: 20_000 }, (_, n) => [
            n === 0 ? "/a" : `/a${n}`,
            { get: { operationId: n === 0 ? "a" : `a${n}`, responses: {} } },
          ]),
        ),
      },
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

/** A text that is not a journey. */
function text(source: string): End {
  const end = async () => {
    const built = await buildText(source, { file: "t.yaml", sources: {} });
    return built.ok ? "accepted" : `refused: ${wordFor(built.problems[0]?.message ?? "")}`;
  };
  return Object.assign(end, { scenario: () => ({ workflows: "", answer: ok, text: source }) });
}

/** A base of so many steps, with an overlay. */
function overlaid(stepCount: number, actions: readonly object[]): End {
  const all = Array.from({ length: stepCount }, (_, n) => step(`s${n}`, { description: "x" }));
  const info = { title: "O", version: "1.0.0", "x-overlay": { id: "o", extendsVersion: "1.0.0" } };
  const overlay = JSON.stringify({ overlay: "1.1.0", info, extends: "t.journey.yaml", actions });
  const end = async () => {
    const base = parseDocument(documentOf(steps(all)), { file: "t.journey.yaml" });
    const { model, problems } = applyOverlays(base, [parseOverlay(overlay, { file: "o.yaml" })]);
    return model === undefined ? `refused: ${wordFor(problems[0]?.message ?? "")}` : "accepted";
  };
  return Object.assign(end, { scenario: () => ({ workflows: steps(all), answer: ok, overlay }) });
}
