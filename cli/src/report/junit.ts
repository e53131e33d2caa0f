import { junitXml } from "@waymark/journeys/report/junit-xml.ts";
import type { JunitCase } from "@waymark/journeys/report/junit-xml.ts";
import type { Reported } from "./reported.ts";
import { placeOf } from "./place-finder.ts";

/**
 * The findings as JUnit XML: a suite for the rules, and a failed test for each finding. Without findings one test passes, because
 * an empty suite counts as a missing report.
 */
export function junitReport(findings: readonly Reported[], root: string): string {
  const cases: JunitCase[] =
    findings.length === 0
      ? [{ classname: "waymark.lint", name: "no findings", ms: 0 }]
      : findings.map((finding) => caseOf(finding, root));
  return junitXml([
    {
      name: "waymark lint",
      package: "waymark.lint",
      startedAt: new Date().toISOString(),
      ms: 0,
      failures: findings.length,
      errors: 0,
      skipped: 0,
      properties: [],
      cases,
    },
  ]);
}

function caseOf(finding: Reported, root: string): JunitCase {
  const { code, severity, message, method, path } = finding;
  const place = placeOf(finding, root);
  const operation = [method, path].filter((part) => part !== null).join(" ");
  return {
    classname: `waymark.lint.${code}`,
    name: `${operation === "" ? "" : `${operation} `}(${place})`,
    ms: 0,
    outcome: { tag: "failure", type: severity, message, text: `${place}: ${message}` },
  };
}
