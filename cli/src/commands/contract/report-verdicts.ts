import type { Level } from "@waymark/contract-diff/verdict.ts";
import type { Severity } from "@waymark/shared/scans/schema.ts";
import { printable } from "../../lib/text.ts";
import type { ReportedChange, ReportedComparison } from "../../report/reported.ts";
import { sentenceOf } from "./contract-gate.ts";
import { headlineOf } from "./headline.ts";
import type { JudgedComparison, JudgedVerdict } from "./judged-comparison.ts";
import { coverText, notComparedText, placeText } from "./verdict-lines.ts";

/** The severities that reports give to the levels of changes. */
const SEVERITIES: Record<Level, Severity> = { breaking: "high", maybe: "medium", safe: "info" };
const MESSAGE_CHARS_MAX = 1_000;

/** Returns a comparison for reports. Each change has a place in the head, because code scanning refuses one without. */
export function reportVerdicts(comparison: JudgedComparison): ReportedComparison {
  return {
    changes: comparison.verdicts.map((verdict) => toReported(verdict, comparison)),
    notCompared: comparison.notCompared.map(notComparedText),
    headline: headlineOf(comparison),
  };
}

function toReported(verdict: JudgedVerdict, comparison: JudgedComparison): ReportedChange {
  const place = comparison.headPlaceOf(verdict);
  return {
    code: verdict.id,
    severity: SEVERITIES[verdict.level],
    level: verdict.level,
    message: printable(sentenceOf(verdict), MESSAGE_CHARS_MAX),
    method: null,
    path: null,
    file: place === undefined ? undefined : comparison.fileOf(place.file),
    position: () => (place?.line === undefined ? undefined : { line: place.line, column: place.column ?? 1 }),
    shownAt: placeText(place),
    helpUrl: undefined,
    fingerprint: verdict.fingerprint,
    coveredBy: coverText(verdict),
  };
}
