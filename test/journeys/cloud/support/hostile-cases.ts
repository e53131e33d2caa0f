import type { RequestListener } from "node:http";
import { scaled } from "@waymark/test-support/scale.ts";
import { documentText } from "../../support/fake.ts";
import type { CommandScenario, HostileCase } from "../../hostile/case.ts";
import { GROUPS } from "../../hostile/groups.ts";
import { descriptionOf, responder } from "../../hostile/run-command.ts";
import { HOSTILE_ANSWERS } from "./hostile-answers.ts";

/** Each of so many cases is run. */
const EVERY = scaled({ short: 20, long: 1 });

export interface CloudCase {
  what: string;
  files: Record<string, string>;
  inputs: Record<string, unknown>;
  /** Answers as the case's target. */
  answer: RequestListener;
}

/** Returns the cases that a worker can run, in the same order in every process. */
export async function hostileCases(): Promise<CloudCase[]> {
  const all: HostileCase[] = [];
  // Documents are refused when they are built.
  for (const [name, group] of Object.entries(GROUPS)) if (name !== "documents") all.push(...(await group()));
  const chosen = all.flatMap(({ what, end, waits }, at) => {
    if (at % EVERY !== 0 || waits === true) return [];
    const scenario = end.scenario?.();
    return scenario !== undefined && isRunnable(scenario) ? [cloudCase(what, scenario)] : [];
  });
  const answers = Object.entries(HOSTILE_ANSWERS).map(([what, answer]) => ({
    ...cloudCase(what, {
      workflows: "\n  - { workflowId: main, steps: [{ stepId: one, operationId: a, timeout: 3000 }] }",
      answer: () => "silence",
    }),
    answer: (_: unknown, response: Parameters<RequestListener>[1]) => answer(response),
  }));
  return [...chosen, ...answers];
}

/** The others show what becomes of a document or an overlay that is read. */
function isRunnable({ text, overlay }: CommandScenario): boolean {
  return text === undefined && overlay === undefined;
}

function cloudCase(what: string, scenario: CommandScenario): CloudCase {
  return {
    what,
    files: { "t.journey.yaml": documentText(scenario), x: descriptionOf(scenario) },
    inputs: { ...scenario.options?.inputs },
    answer: responder(scenario),
  };
}
