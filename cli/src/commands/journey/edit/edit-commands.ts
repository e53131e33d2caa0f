import { z } from "zod";
import { isObject } from "@waymark/openapi/json.ts";
import { parseText } from "@waymark/journeys/document/parse-text.ts";
import { EditCommand } from "@waymark/journey-authoring/edit/command.ts";
import type { CliContext } from "../../../framework/context.ts";
import { usageError } from "../../../lib/cli-error.ts";
import { readText } from "../../../lib/read-text.ts";
import { printable } from "../../../lib/text.ts";
import { readAssignments } from "../assignments.ts";
import { documentError } from "../problems.ts";
import { valueCommands } from "./value-commands.ts";
import type { ValueFlags } from "./value-commands.ts";

export interface EditFlags extends ValueFlags {
  file: string;
  insertStep: string | undefined;
  moveStep: string | undefined;
  removeStep: string | undefined;
  renameStep: string | undefined;
  renameAssertion: string | undefined;
  before: string | undefined;
  after: string | undefined;
  workflow: string | undefined;
  edits: string | undefined;
}

const EDITS_MAX = 10_000;

/**
 * The commands of the options, in the order of their execution.
 * @throws {CliError} for missing, contradictory or invalid options
 */
export async function editCommands(context: CliContext, flags: EditFlags): Promise<EditCommand[]> {
  refuseContradictions(flags);
  const commands = [
    ...(await listed(context, flags)),
    ...valueCommands(flags),
    ...(await stepCommand(context, flags)),
  ];
  if (commands.length === 0) {
    throw usageError(
      "There is nothing to edit: give --edits, --set or another option that says what to change (see --help).",
    );
  }
  return commands;
}

function refuseContradictions({ file, edits, ...flags }: EditFlags): void {
  const about = [flags.insertStep, flags.moveStep, flags.removeStep, flags.renameStep, flags.renameAssertion];
  const given = about.filter((value) => value !== undefined);
  if (given.length > 1) throw usageError("Only one edit of a step at a time; give more with --edits.");
  if ([file, edits, flags.insertStep].filter((name) => name === "-").length > 1)
    throw usageError("Standard input can be only one of the files.");
  const isPlaced = flags.insertStep !== undefined || flags.moveStep !== undefined;
  if (!isPlaced && (flags.before !== undefined || flags.after !== undefined))
    throw usageError("--before and --after go with --insert-step and --move-step.");
  if (flags.before !== undefined && flags.after !== undefined)
    throw usageError("Give either --before or --after.");
}

async function listed(context: CliContext, { edits }: EditFlags): Promise<EditCommand[]> {
  if (edits === undefined) return [];
  const name = edits === "-" ? "standard input" : edits;
  const { value, problems } = parseText(await readText(context, edits), { file: name });
  if (problems.length > 0) throw documentError(`${name} can't be read`, problems);
  const parsed = z.array(EditCommand).max(EDITS_MAX).safeParse(value);
  if (parsed.success) return parsed.data;
  throw usageError(`${name} is not a list of edit commands.`, {
    details: parsed.error.issues
      .slice(0, 20)
      .map(
        ({ path, message }) =>
          `${path.length === 0 ? "it" : printable(path.join("."), 200)}: ${printable(message)}`,
      ),
  });
}

async function stepCommand(context: CliContext, flags: EditFlags): Promise<EditCommand[]> {
  const { before, after, workflow: workflowId } = flags;
  if (flags.insertStep !== undefined)
    return [{ op: "insertStep", workflowId, step: await stepFrom(context, flags.insertStep), before, after }];
  if (flags.moveStep !== undefined)
    return [{ op: "moveStep", workflowId, stepId: flags.moveStep, before, after }];
  if (flags.removeStep !== undefined) return [{ op: "removeStep", workflowId, stepId: flags.removeStep }];
  if (flags.renameAssertion !== undefined)
    return [{ op: "renameAssertion", workflowId, ...assertionNames(flags.renameAssertion) }];
  if (flags.renameStep === undefined) return [];
  const [[stepId, to] = ["", ""]] = readAssignments("--rename-step", [flags.renameStep]);
  if (!/^[A-Za-z0-9_-]+$/.test(to))
    throw usageError("The new name of the step must be letters, digits, - and _.");
  return [{ op: "renameStep", workflowId, stepId, to }];
}

function assertionNames(text: string): { stepId: string; id: string; to: string } {
  const [[assertion, to] = ["", ""]] = readAssignments("--rename-assertion", [text]);
  const [, stepId, id] = /^([^#]+)#(.+)$/.exec(assertion) ?? [];
  if (stepId === undefined || id === undefined || to === "")
    throw usageError("--rename-assertion takes step#old=new.");
  return { stepId, id, to };
}

async function stepFrom(context: CliContext, file: string) {
  const name = file === "-" ? "standard input" : file;
  const { value, problems } = parseText(await readText(context, file), { file: name });
  if (problems.length > 0) throw documentError(`${name} can't be read`, problems);
  if (!isObject(value)) throw usageError(`${name} is not a step: it must be an object with a stepId.`);
  return value;
}
