import type { Expression } from "../expressions/ast.ts";
import { EvaluationLimit } from "../expressions/engine-error.ts";
import type { FunctionContext } from "../expressions/functions/context.ts";
import type { ProgramWorkflow } from "../program/program.ts";
import { walkExpressions } from "../program/walk.ts";
import { isEscapedDeeply } from "../secrets/secret-forms.ts";
import { givenTexts } from "../secrets/shield.ts";
import { seededRandom } from "./random.ts";
import type { Run } from "./state.ts";

/** The characters that functions may read before a request, or after one: 16 of the largest calls. */
const READ_CHARS_MAX = 16 * 1024 * 1024;

/**
 * Creates what the functions of a workflow need. A random value belongs to the place of the call, the workflow's number in the run,
 * and the steps and requests that the run has started: a run that resumes from a checkpoint has the same.
 */
export function createFunctionContext(
  run: Pick<Run, "budget" | "deps" | "known" | "seed">,
  program: ProgramWorkflow,
  number: number,
): FunctionContext {
  let moment = "";
  let time = 0;
  let readChars = 0;
  const enter = (): void => {
    const { steps, requests } = run.budget.counters;
    const now = `${steps}.${requests}`;
    if (now === moment) return;
    moment = now;
    time = run.deps.clock.now();
    readChars = 0;
  };
  return {
    random: (call) => {
      enter();
      return seededRandom(`${run.seed}:fn:${number}:${moment}:${placesOf(program).get(call) ?? 0}`);
    },
    now: () => {
      enter();
      return time;
    },
    countRead: (characters) => {
      enter();
      readChars += characters;
      if (readChars > READ_CHARS_MAX)
        throw new EvaluationLimit(`functions have read more than ${READ_CHARS_MAX / 1024 / 1024} MiB`);
    },
    made: (args, result, { isKept }) => {
      if (isKept && !(typeof result === "string" && isEscapedDeeply(result))) return;
      const { shield, redactor } = run.known;
      if (!shield.holdsSecret(args) && redactor.clean(args) === args) return;
      // The small letters of a secret that is JSON are JSON, too.
      const texts = givenTexts(result);
      const added = texts.filter((text) => !run.known.texts.has(text));
      run.budget.countMade(added.reduce((sum, { length }) => sum + length, 0));
      shield.made(args, texts);
      run.known.add(texts);
    },
  };
}

const places = new WeakMap<ProgramWorkflow, Map<Expression, number>>();

/** The calls of a workflow, numbered in the order of the program. */
function placesOf(program: ProgramWorkflow): Map<Expression, number> {
  let numbers = places.get(program);
  if (numbers === undefined) {
    const found = new Map<Expression, number>();
    walkExpressions(program, (expression) => {
      if (expression.kind === "call") found.set(expression, found.size);
    });
    places.set(program, (numbers = found));
  }
  return numbers;
}
