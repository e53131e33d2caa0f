import { hasErrors } from "@waymark/journeys/document/problem.ts";
import type { Problem } from "@waymark/journeys/document/problem.ts";
import { lintLoaded } from "@waymark/journeys/load/lint-loaded.ts";
import type { CliContext } from "../../../framework/context.ts";
import { plural } from "../../../lib/text.ts";
import { openJourney } from "../files/compile-files.ts";
import type { CompileRequest } from "../files/compile-files.ts";
import { journeyFiles } from "../files/files-below.ts";
import type { ParsedDescriptions } from "../files/file-access.ts";
import { sha256 } from "../files/hash.ts";
import { sandbox } from "../sandbox.ts";
import { JOURNEY_EXIT } from "../exit-codes.ts";
import { annotateProblems } from "../annotate-problems.ts";
import { countProblems, problemLines } from "../problems.ts";
import { writeJson, writeLine } from "../../../lib/output.ts";

export interface LintOptions extends Omit<CompileRequest, "file"> {
  files: readonly string[];
  failOnWarnings: boolean | undefined;
  json: boolean | undefined;
}

/** Lints and compiles every file, and prints the problems. */
export async function lintJourneys(context: CliContext, options: LintOptions): Promise<number> {
  const problems: Problem[] = [];
  const parsed: ParsedDescriptions = new Map();
  const files = await journeyFiles(context.cwd, options.files);
  for (const file of files) problems.push(...(await lintFile(context, { ...options, file, parsed })));
  if (options.json === true) writeJson(context.stdout, problems, 2);
  else {
    for (const line of problemLines(problems)) writeLine(context.stdout, line);
    writeLine(context.stdout, `${plural(files.length, "journey")}: ${countProblems(problems)}`);
  }
  annotateProblems(context, problems);
  if (hasErrors(problems)) return JOURNEY_EXIT.document;
  return options.failOnWarnings === true && problems.length > 0 ? JOURNEY_EXIT.failed : JOURNEY_EXIT.passed;
}

/** The problems that `run` and `build` report of a file, and no others. */
export async function lintFile(
  context: Pick<CliContext, "cwd" | "openStdin">,
  request: CompileRequest,
): Promise<Problem[]> {
  const { journey, environment } = await openJourney(context, request);
  const { workflow } = request;
  return (await lintLoaded(journey, { environment, workflow, hash: sha256, evaluator: sandbox })).problems;
}
