import path from "node:path";
import type { Problem } from "@waymark/journeys/document/problem.ts";
import type { CliContext } from "../../framework/context.ts";
import { writeWorkflowCommand } from "../../lib/output.ts";
import { workspaceRoot } from "../../lib/workspace-root.ts";
import { annotationFormat, annotations } from "../../report/annotations.ts";
import { STDIN_SHOWN } from "./files/names.ts";

/** Shows problems beside the lines of the journey on GitHub and Azure, errors first. */
export function annotateProblems({ env, cwd, stderr }: CliContext, problems: readonly Problem[]): void {
  const format = annotationFormat(env);
  if (format === undefined) return;
  const root = workspaceRoot(env, { folder: cwd, cwd });
  const shown = problems.map(({ severity, code, message, file, line, column }) => ({
    code,
    message,
    severity: severity === "error" ? ("high" as const) : ("medium" as const),
    file: file === STDIN_SHOWN ? undefined : path.resolve(cwd, file),
    position: () => ({ line, column }),
  }));
  const errorsFirst = shown.toSorted((a, b) => Number(b.severity === "high") - Number(a.severity === "high"));
  for (const line of annotations(errorsFirst, root, format).lines) writeWorkflowCommand(stderr, line);
}
