import { junitXml } from "@waymark/journeys/report/junit-xml.ts";
import type { JunitCase, JunitSuite } from "@waymark/journeys/report/junit-xml.ts";
import { describeDecision } from "../lib/decision.ts";
import type { Reported, ReportContent, ReportedChange, ReportedComparison } from "./reported.ts";
import { placeOf } from "./place-finder.ts";

/**
 * Findings and changes as JUnit XML: a suite for the rules of the linter, with a failed test for each finding, and one for each
 * comparison, with a test for each change, which fails if the change breaks clients. A suite without results has one test, because an
 * empty suite counts as a missing report.
 */
export function junitReport({ findings, comparisons }: ReportContent, root: string): string {
  return junitXml([
    ...comparisons.map((comparison) => suiteOf("contract", contractCases(comparison, root))),
    ...(findings === undefined ? [] : [suiteOf("lint", lintCases(findings, root))]),
  ]);
}

function suiteOf(name: "contract" | "lint", cases: JunitCase[]): JunitSuite {
  const count = (tag: string) => cases.filter(({ outcome }) => outcome?.tag === tag).length;
  return {
    name: `waymark ${name}`,
    package: `waymark.${name}`,
    startedAt: new Date().toISOString(),
    ms: 0,
    failures: count("failure"),
    errors: 0,
    skipped: count("skipped"),
    properties: [],
    cases,
  };
}

function lintCases(findings: readonly Reported[], root: string): JunitCase[] {
  if (findings.length === 0) return [{ classname: "waymark.lint", name: "no findings", ms: 0 }];
  return findings.map((finding) => caseOf(finding, root));
}

function contractCases({ changes, notCompared, headline }: ReportedComparison, root: string): JunitCase[] {
  const cases: JunitCase[] = changes.map((change) => ({
    classname: `waymark.contract.${change.code}`,
    name: `${change.message} (${change.fingerprint})`,
    ms: 0,
    ...outcomeOf(change, root),
  }));
  const left = notCompared.map((message): JunitCase => ({
    classname: "waymark.contract.not-compared",
    name: message,
    ms: 0,
    outcome: { tag: "skipped", message },
  }));
  const all = [...cases, ...left];
  return all.length > 0 ? all : [{ classname: "waymark.contract", name: headline, ms: 0 }];
}

function outcomeOf(change: ReportedChange, root: string): Pick<JunitCase, "outcome"> {
  const { level, coveredBy, message, severity } = change;
  if (level === "safe") return {};
  if (coveredBy !== undefined) return { outcome: { tag: "skipped", message: coveredBy } };
  const text = `${change.file === undefined ? change.shownAt : placeOf(change, root)}: ${message}`;
  if (level === "maybe") return { outcome: { tag: "skipped", message: `may break clients: ${text}` } };
  return { outcome: { tag: "failure", type: severity, message, text } };
}

function caseOf(finding: Reported, root: string): JunitCase {
  const { code, severity, message, method, path, decision } = finding;
  const place = placeOf(finding, root);
  const operation = [method, path].filter((part) => part !== null).join(" ");
  return {
    classname: `waymark.lint.${code}`,
    name: `${operation === "" ? "" : `${operation} `}(${place})`,
    ms: 0,
    outcome:
      decision === undefined
        ? { tag: "failure", type: severity, message, text: `${place}: ${message}` }
        : { tag: "skipped", message: `${describeDecision(decision)}: ${decision.reason}` },
  };
}
