import type { JourneyResult } from "../result/result.ts";
import { ctrfReport } from "./ctrf.ts";
import type { ReportFormat } from "./formats.ts";
import { harReport } from "./har.ts";
import { htmlReport } from "./html.ts";
import { junitReport } from "./junit.ts";
import type { NotRun } from "./not-run.ts";

type Reporter = (results: readonly JourneyResult[], notRun: readonly NotRun[]) => string;

const REPORTERS = {
  json: (results) => `${JSON.stringify(results.length === 1 ? results[0] : results, undefined, 2)}\n`,
  junit: junitReport,
  html: htmlReport,
  har: harReport,
  ctrf: ctrfReport,
} satisfies Record<ReportFormat, Reporter>;

/**
 * The text of a report. Everything in it comes from the results, in which secrets are redacted already. The formats for test
 * results and the page also list the journeys that did not run.
 */
export function renderReport(
  format: ReportFormat,
  results: readonly JourneyResult[],
  notRun: readonly NotRun[] = [],
): string {
  return REPORTERS[format](results, notRun);
}
