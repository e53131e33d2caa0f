import { createSandbox } from "@waymark/journey-sandbox/create-sandbox.ts";
import type { JourneyResult } from "@waymark/journeys/result/result.ts";
import { play } from "../support/fake.ts";
import type { FakeAnswer, Scenario } from "../support/fake.ts";

/** Something that is made to take more than there is. */
export interface HostileCase {
  /** What it is, in a few words. */
  what: string;
  /** Ends with how it ended, in a few words. */
  end: () => Promise<string>;
}

export const sandbox = createSandbox();

/** A journey of one step, whose answer is judged by one criterion. */
export function criterion(
  type: string,
  condition: string,
  body: () => unknown,
  more: Partial<FakeAnswer & object> = {},
): () => Promise<string> {
  const criteria = JSON.stringify([{ type: typeOf(type), condition, context: "$response.body" }]);
  const answer = () => ({ status: 200, body: body(), ...more }) as FakeAnswer;
  return journey({ workflows: oneStep(`successCriteria: ${criteria}`), answer });
}

function typeOf(type: string): unknown {
  const [name, version] = type.split(" ");
  return version === undefined ? name : { type: name, version };
}

export function oneStep(more: string, operation = "a"): string {
  return `\n  - { workflowId: main, steps: [{ stepId: one, operationId: ${operation}, ${more} }] }`;
}

export function journey(given: Scenario | (() => Scenario)): () => Promise<string> {
  return async () => {
    try {
      const scenario = typeof given === "function" ? given() : given;
      return endOf((await play({ ...scenario, evaluator: sandbox })).result);
    } catch (error) {
      return `refused: ${wordFor(error instanceof Error ? error.message : String(error))}`;
    }
  };
}

function endOf(result: JourneyResult): string {
  if (result.error !== undefined) return `run ${result.status}: ${wordFor(result.error.message)}`;
  const step = result.steps.find(({ status }) => status !== "passed") ?? result.steps[0];
  const judged = step?.assertions.find(({ status }) => status !== "passed");
  if (judged !== undefined && judged.status !== "notRun") {
    return `criterion ${judged.status}: ${wordFor(judged.explanation ?? "")}`;
  }
  const check = step?.contract.find(({ status }) => status !== "passed");
  if (check !== undefined) {
    const faults = step?.contract.filter(({ status }) => status === "failed").length ?? 0;
    if (check.status === "failed") return `check failed: ${faults} faults told`;
    return `check ${check.status}: ${wordFor(check.message ?? "")}`;
  }
  if (step?.reason !== undefined) return `step ${step.status}: ${wordFor(step.reason)}`;
  return `run ${result.status}`;
}

const WORDS: [RegExp, string][] = [
  // Which of the three comes first depends on the machine.
  [/it took longer than|MiB of memory|visits more than/, "ended by the sandbox"],
  [/took longer than|no response within/, "time"],
  [/selects more than/, "size of what is selected"],
  [/comparisons/, "cost of the schema"],
  [/text with its values is longer/, "length of a text"],
  [/request body is larger/, "size of a request"],
  [/outputs .* larger/, "size of outputs"],
  [/longer than \d+ characters|more than \d+ characters/, "length"],
  [/nested|too deep|deeper|call each other/, "depth"],
  [/has started its/, "steps"],
  [/retried/, "retries"],
  [/redirects/, "redirects"],
  [/aliases|more than \d+ values|cost too much|tokens|at most \d+ are read/, "size of the document"],
  [/wait for each other/, "circle"],
  [/There is no operation/, "no such operation"],
  [/document type/, "document type"],
  [/not registered/, "no such function"],
  [/not valid|invalid|well-formed/i, "not valid"],
  [/refers to itself|leads nowhere/, "reference"],
  [/no step|has no workflow/, "nowhere to go"],
  [/gives|does not match|nothing in|is /, "does not hold"],
];

/** The limit that a message is about, or the message where it is about none. */
export function wordFor(message: string): string {
  return WORDS.find(([pattern]) => pattern.test(message))?.[1] ?? message.slice(0, 80);
}
