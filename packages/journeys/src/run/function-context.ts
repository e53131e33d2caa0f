import type { Expression } from "../expressions/ast.ts";
import { EvaluationLimit } from "../expressions/engine-error.ts";
import type { FunctionContext } from "../expressions/functions/context.ts";
import type { ProgramWorkflow } from "../program/program.ts";
import { walkExpressions } from "../program/walk.ts";
import { givenTexts } from "../secrets/shield.ts";
import { seededRandom } from "./random.ts";
import type { Run } from "./state.ts";

/** The characters that functions may read before a request, or after one: 16 of the largest calls. */
const READ_CHARS_MAX = 16 * 1024 * 1024;
/** The characters of secrets that functions may make in a run: each is searched for. */
const MADE_CHARS_MAX = 4 * 1024 * 1024;

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
  let madeChars = 0;
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
      if (readChars > READ_CHARS_MAX) throw tooMuch("read", READ_CHARS_MAX);
    },
    made: (args, result) => {
      // The small letters of a secret that is JSON are JSON, too.
      const texts = givenTexts(result);
      const { shield, redactor } = run.known;
      if (!shield.made(args, texts) && (redactor.isEmpty() || redactor.clean(args) === args)) return;
      for (const text of texts) if (!run.known.texts.has(text)) madeChars += text.length;
      if (madeChars > MADE_CHARS_MAX) throw tooMuch("made secrets of", MADE_CHARS_MAX);
      run.known.add(texts);
    },
  };
}

function tooMuch(did: string, max: number): EvaluationLimit {
  return new EvaluationLimit(`functions have ${did} more than ${max / 1024 / 1024} MiB`);
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
