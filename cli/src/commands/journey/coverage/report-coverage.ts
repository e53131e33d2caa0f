import type { OptionsOf } from "../../../framework/base-command.ts";
import type { JourneyCoverageCommand } from "../coverage.ts";
import { operationsOf } from "@waymark/journeys/openapi/find-operation.ts";
import { statusText } from "@waymark/journeys/report/text.ts";
import { sourceProblem } from "@waymark/journeys/openapi/describe-operation.ts";
import type { CliContext } from "../../../framework/context.ts";
import { usageError } from "../../../lib/cli-error.ts";
import { printable } from "../../../lib/text.ts";
import { readAssignments } from "../assignments.ts";
import { JOURNEY_EXIT } from "../exit-codes.ts";
import { loadDescription } from "../files/load-description.ts";
import { displayPath } from "../files/names.ts";
import { aggregateResults } from "./aggregate-results.ts";
import type { CoveredOperation, CoverageSummary } from "./aggregate-results.ts";
import { failedGates, readGates, shareText, sharesOf } from "./gates.ts";
import { readResults } from "../read-results.ts";
import { CoveredResult } from "./covered-result.ts";
import { writeJson, writeLine } from "../../../lib/output.ts";

type CoverageOptions = OptionsOf<JourneyCoverageCommand>;

/** Aggregates results, prints the coverage and checks the gates. */
export async function reportCoverage(context: CliContext, options: CoverageOptions): Promise<number> {
  const gates = readGates(options.min);
  const results: CoveredResult[] = [];
  for (const file of options.files) results.push(...(await readResults(context, file, CoveredResult)));
  const sum = aggregateResults(results, await readInventory(context, options.openapi));
  const shares = sharesOf(sum);
  if (options.json === true) writeJson(context.stdout, { ...sum, shares }, 2);
  else for (const line of linesOf(sum)) writeLine(context.stdout, printable(line));
  const missed = failedGates(gates, shares);
  for (const line of missed) writeLine(context.stderr, line);
  return missed.length > 0 ? JOURNEY_EXIT.failed : JOURNEY_EXIT.passed;
}

async function readInventory(
  context: CliContext,
  given: readonly string[],
): Promise<Pick<CoveredOperation, "source" | "method" | "path" | "operationId">[]> {
  const inventory = [];
  for (const [name, file] of readAssignments("--openapi", given)) {
    const shown = displayPath(context.cwd, file);
    const source = { name, ...(await loadDescription(context, { file, url: "openapi" })) };
    const problem = sourceProblem(source);
    if (problem !== undefined) throw usageError(`${shown} ${problem}.`);
    for (const { method, path: template, operation } of operationsOf(source)) {
      const operationId = operation.value;
      inventory.push({ source: name, method, path: template, ...idOf(operationId) });
    }
  }
  return inventory;
}

function idOf(operation: unknown): { operationId?: string } {
  if (typeof operation !== "object" || operation === null || !("operationId" in operation)) return {};
  return typeof operation.operationId === "string" ? { operationId: operation.operationId } : {};
}

function linesOf(sum: CoverageSummary): string[] {
  const { acceptance, must, operations, asserted } = sharesOf(sum);
  const open = sum.acceptance.filter(({ status }) => status !== "proven");
  const uncalled = sum.operations.filter(({ calls }) => calls === 0);
  const unasserted = sum.operations.filter(({ calls, asserted: checked }) => calls > 0 && !checked);
  return [
    `Runs: ${sum.runs.passed} of ${sum.runs.total} passed`,
    `Acceptance criteria proven: ${shareText(acceptance)}; must: ${shareText(must)}`,
    ...open.map(
      ({ journey, id, severity, status, text: words }) =>
        `  ${statusText(status)}  ${journey} ${id} (${severity}): ${words}`,
    ),
    `Operations called: ${shareText(operations)}; asserted: ${shareText(asserted)}`,
    ...uncalled.map(({ source, method, path }) => `  not called  ${source} ${method} ${path}`),
    ...unasserted.map(({ source, method, path }) => `  not asserted  ${source} ${method} ${path}`),
    ...sum.notInInventory.map(
      ({ method, url, calls }) => `  outside every source  ${method} ${url} (${calls})`,
    ),
  ];
}
