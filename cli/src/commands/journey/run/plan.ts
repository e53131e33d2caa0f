import { isObject } from "@waymark/openapi/json.ts";
import type { CliContext } from "../../../framework/context.ts";
import { usageError } from "../../../lib/cli-error.ts";
import { readText } from "../../../lib/read-text.ts";
import { printable } from "../../../lib/text.ts";
import { readAssignments } from "../assignments.ts";
import { inputNames } from "@waymark/journeys/compile/input-names.ts";
import type { Program } from "@waymark/journeys/program/program.ts";
import { inputsFor, isCommaNumber, isKnown, knownInputs } from "./inputs.ts";
import type { Inputs } from "./inputs.ts";
import type { Runnable } from "./load-runnable.ts";
import { readRows, rowLabel } from "./rows.ts";
import type { Row } from "./rows.ts";
import type { RunCommandOptions } from "./settings.ts";

/** One run: a journey with its inputs, and a label that distinguishes it from other runs of the same journey. */
export interface PlannedRun {
  runnable: Runnable;
  inputs: Inputs;
  /** Such as ` [row 3]`. */
  row: string;
}

/**
 * All runs of a command line: every journey, once for each row of the data. `hasAll` is false if some of the journeys could not be
 * read: then nobody can say that an input has no journey.
 * @throws {CliError} for an input that no journey has, and for files that can't be read
 */
export async function planRuns(
  context: CliContext,
  runnables: readonly Runnable[],
  { hasAll, ...options }: RunCommandOptions & { hasAll: boolean },
): Promise<PlannedRun[]> {
  const given = readAssignments("--input", options.input);
  const fromFile = options.inputs === undefined ? {} : await readInputs(context, options.inputs);
  const rows = options.data === undefined ? undefined : await readRows(context, options.data);
  if (hasAll) checkNames(runnables, { given, fromFile, rows });
  const environment = options.env === undefined ? {} : await environmentInputs(context, options.env);
  return runnables.flatMap((runnable) => {
    const { program } = runnable.prepared.artifact;
    const common = {
      ...knownInputs(program, environment),
      ...knownInputs(program, fromFile),
      ...inputsFor(program, given),
    };
    if (rows === undefined) return [{ runnable, inputs: common, row: "" }];
    return rows.map((row, at) => ({
      runnable,
      inputs: {
        ...common,
        ...("texts" in row ? cellsOf(program, row) : knownInputs(program, row.values)),
      },
      row: rowLabel(at),
    }));
  });
}

/** @throws {CliError} for a number with a decimal comma, which can't be distinguished from a list or from thousands */
function cellsOf(program: Program, row: Extract<Row, { texts: unknown }>): Inputs {
  const inputs = inputsFor(program, row.texts);
  const wrong = Object.keys(inputs).find((name) => isCommaNumber(program, name, inputs[name]));
  if (wrong === undefined) return inputs;
  throw usageError(
    `${row.place}: column "${printable(wrong, 60)}" is a number, and the cell has a decimal comma. Write it with a point, such as 3.5.`,
  );
}

/** The inputs in a file. @throws {CliError} for a file that is no object */
export async function readInputs(context: CliContext, name: string): Promise<Inputs> {
  const text = await readText(context, name, { bytesMax: 4 * 1024 * 1024 });
  const { parseDocument } = await import("../../../openapi/parse-document.ts");
  const { value } = await parseDocument(text, name === "-" ? "standard input" : name);
  if (!isObject(value)) throw usageError(`${name} is not an object of inputs.`);
  return value;
}

async function environmentInputs(context: CliContext, name: string): Promise<Inputs> {
  const { readProjectFile } = await import("../../../framework/project-file.ts");
  const { environments = {} } = await readProjectFile(context);
  return Object.hasOwn(environments, name) ? (environments[name]?.inputs ?? {}) : {};
}

/** Otherwise a misspelled input would leave the journey's default, and the run would prove something else. */
function checkNames(
  runnables: readonly Runnable[],
  {
    given,
    fromFile,
    rows = [],
  }: { given: ReadonlyMap<string, string>; fromFile: Inputs; rows?: Row[] | undefined },
): void {
  const known = new Set(runnables.flatMap(({ prepared }) => inputNames(prepared.artifact.program)));
  const columns = rows.flatMap((row) => ("texts" in row ? [...row.texts.keys()] : Object.keys(row.values)));
  for (const name of [...given.keys(), ...Object.keys(fromFile), ...new Set(columns)]) {
    if (runnables.some(({ prepared }) => isKnown(prepared.artifact.program, name))) continue;
    const there = known.size === 0 ? "the journey has none" : `there is ${[...known].join(", ")}`;
    throw usageError(`There is no input "${printable(name, 60)}": ${there}.`);
  }
}
