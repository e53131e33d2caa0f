import type { ArazzoDocument } from "@waymark/journeys/document/model.ts";
import { hasErrors, sortProblems } from "@waymark/journeys/document/problem.ts";
import type { Problem } from "@waymark/journeys/document/problem.ts";
import { lintDocument } from "@waymark/journeys/lint/lint-document.ts";
import type { CliContext } from "../../../context.ts";
import { plural } from "../../../lib/text.ts";
import { checkOpened, compileOpened, openJourney } from "../files/compile-files.ts";
import type { CompileRequest } from "../files/compile-files.ts";
import type { ParsedDescriptions } from "../files/file-access.ts";
import { JOURNEY_EXIT } from "../exit-codes.ts";
import { countProblems, problemLines } from "../problems.ts";
import { writeJson, writeLine } from "../../../lib/output.ts";

export interface LintOptions extends Omit<CompileRequest, "file"> {
  files: readonly string[];
  failOnWarnings: boolean | undefined;
  json: boolean | undefined;
}

/** Lints and compiles every file and prints what is wrong. */
export async function lintJourneys(context: CliContext, options: LintOptions): Promise<number> {
  const problems: Problem[] = [];
  const parsed: ParsedDescriptions = new Map();
  for (const file of options.files) problems.push(...(await lintFile(context, { ...options, file, parsed })));
  if (options.json === true) writeJson(context.stdout, problems, 2);
  else {
    for (const line of problemLines(problems)) writeLine(context.stdout, line);
    writeLine(context.stdout, `${plural(options.files.length, "journey")}: ${countProblems(problems)}`);
  }
  if (hasErrors(problems)) return JOURNEY_EXIT.document;
  return options.failOnWarnings === true && problems.length > 0 ? JOURNEY_EXIT.failed : JOURNEY_EXIT.passed;
}

/** The rules find most of what compiling finds; a fault in one place is told once. */
export async function lintFile(
  context: Pick<CliContext, "cwd" | "stdin">,
  request: CompileRequest,
): Promise<Problem[]> {
  const opened = await openJourney(context, request);
  const { merged } = opened.journey;
  const found = new Map(lintDocument(merged).map((problem) => [locationOf(problem), problem]));
  const compiled = hasOneEntry(merged.model, request.workflow)
    ? (await compileOpened(opened, request.workflow)).problems
    : await checkOpened(opened);
  for (const problem of compiled) {
    if (!found.has(locationOf(problem))) found.set(locationOf(problem), problem);
  }
  return sortProblems([...found.values()]);
}

/** Where nothing says which workflow is run, all of them are compiled. */
function hasOneEntry(model: ArazzoDocument | undefined, wanted: string | undefined): boolean {
  const ids = (model?.workflows ?? []).map(({ workflowId }) => workflowId);
  return wanted !== undefined || ids.length < 2 || ids.includes("main");
}

function locationOf({ file, line, column, code }: Problem): string {
  return `${file}:${line}:${column} ${code}`;
}
