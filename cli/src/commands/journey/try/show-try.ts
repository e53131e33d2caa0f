import type { Program } from "@waymark/journeys/program/program.ts";
import type { Reuse } from "@waymark/journeys/try/kept-try.ts";
import { triedStep } from "@waymark/journeys/try/try-result.ts";
import type { TryResult } from "@waymark/journeys/try/try-result.ts";
import type { CliContext } from "../../../framework/context.ts";
import { writeJson, writeLine } from "../../../lib/output.ts";
import { printable } from "../../../lib/text.ts";
import { styleFor } from "../run/style.ts";
import type { KeptContent } from "./kept-file.ts";
import { tryLines } from "./try-lines.ts";

/** The outputs of an earlier try. */
export interface FoundReuse {
  reuse?: Reuse;
  /** The content of the kept file, used or not. */
  content?: KeptContent;
  warning?: string;
}

/** Shows a try, then what it has left behind and what to know of its outputs. */
export function showTry(
  context: CliContext,
  { json, keep }: { json: boolean | undefined; keep: boolean | undefined },
  {
    result,
    program,
    isKept,
    found,
  }: { result: TryResult; program: Program; isKept: boolean; found: FoundReuse },
): void {
  const teardown = teardownOf(program);
  if (json === true) {
    writeJson(context.stdout, { ...result, kept: isKept }, 2);
  } else {
    for (const line of tryLines(result, styleFor(context.stdout, context.env)))
      writeLine(context.stdout, line);
  }
  const notes = [
    ...(keep === true && teardown.length > 0
      ? [
          `Left behind: the teardown (${listed(teardown)}) was not run. ${isKept ? "The next try without --keep runs it." : "Nothing could be kept, so no later try runs it."}`,
        ]
      : []),
    ...repeatedNotes(result, found),
    ...(found.reuse !== undefined && triedStep(result)?.status !== "passed"
      ? ["The outputs of earlier steps may be stale: --fresh runs these steps again."]
      : []),
  ];
  for (const note of notes) writeLine(json === true ? context.stderr : context.stdout, note);
}

/** Another resource was made under an output's name, and the teardown knows only the last one. */
function repeatedNotes({ steps }: TryResult, { reuse, content }: FoundReuse): string[] {
  if (reuse === undefined || content === undefined || content.pending.length === 0) return [];
  const before = new Set(reuse.checkpoint.started);
  const repeated = steps.filter(
    ({ id, phase, workflow, evidence, outputs }) =>
      phase === "main" &&
      workflow === undefined &&
      before.has(id) &&
      Object.keys(outputs).length > 0 &&
      evidence !== undefined &&
      !/^(?:GET|HEAD)$/i.test(evidence.request.method),
  );
  if (repeated.length === 0) return [];
  return [
    `${listed(repeated.map(({ id }) => id))} had been sent before: the teardown removes only what it made last.`,
  ];
}

export function reusedLine({ steps, at }: Reuse): string {
  const minutes = Math.round((Date.now() - at) / 60_000);
  const age = minutes < 1 ? "just now" : `${minutes} min ago`;
  return `  reused the outputs of ${listed(steps)}, ${age} (--fresh runs them again)`;
}

export function teardownOf({ workflows, entry }: Program): string[] {
  return (workflows[entry]?.teardown ?? []).map(({ step }) => step);
}

export function listed(names: readonly string[]): string {
  return names.map((name) => printable(name, 60)).join(", ");
}
