import type { ServerResponse } from "node:http";
import { createSandbox } from "@waymark/journey-sandbox/create-sandbox.ts";
import type { JourneyResult } from "@waymark/journeys/result/result.ts";
import { play } from "../support/fake.ts";
import type { FakeAnswer, Scenario } from "../support/fake.ts";

/** A case that would use too many resources. */
export interface HostileCase {
  /** A short description. */
  what: string;
  /** It waits for real time, which the run's limit ends. */
  waits?: true;
  end: End;
}

/** Runs a case, and returns how it ended, in a few words. */
export type End = (() => Promise<string>) & {
  /** Returns the case as a scenario for the command, unless only a handwritten program can show it. */
  scenario?: () => CommandScenario;
};

/** A scenario for the command, which reads files and talks to a real server. */
export interface CommandScenario extends Scenario {
  /** The document's text, instead of one with the workflows. */
  text?: string;
  /** The text of an overlay. */
  overlay?: string;
  /** Responds in a way that a fake can't. */
  respond?: (response: ServerResponse) => void;
}

export const sandbox = createSandbox();

/** A journey of one step with one criterion on its response. */
export function criterion(
  type: string,
  condition: string,
  body: () => unknown,
  more: Partial<FakeAnswer & object> = {},
): End {
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

export function journey(given: CommandScenario | (() => CommandScenario)): End {
  const scenario = () => (typeof given === "function" ? given() : given);
  const end = async () => {
    try {
      return endOf((await play({ ...scenario(), evaluator: sandbox })).result);
    } catch (error) {
      return `refused: ${wordFor(error instanceof Error ? error.message : String(error))}`;
    }
  };
  return Object.assign(end, { scenario });
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
  [/targets cost too much/, "cost of the targets"],
  // Which of the three limits is reached first depends on the machine.
  [/it took longer than|MiB of memory|visits more than/, "ended by the sandbox"],
  [/took longer than|no response within|not complete within/, "time"],
  [/selects more than/, "size of what is selected"],
  [/comparisons/, "cost of the schema"],
  [/text with its values is longer/, "length of a text"],
  [/request body is larger/, "size of a request"],
  [/outputs .* larger/, "size of outputs"],
  [/longer than \d+ characters|more than \d+ characters/, "length"],
  [/nested|too deep|deeper|call each other/, "depth"],
  [/has started its/, "steps"],
  [/has sent its/, "requests"],
  [/ECONNREFUSED/, "target not reached"],
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

/** The limit that a message names, or the message itself. */
export function wordFor(message: string): string {
  return WORDS.find(([pattern]) => pattern.test(message))?.[1] ?? message.slice(0, 80);
}
