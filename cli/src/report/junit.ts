import { escapeMarkup } from "@waymark/journeys/report/text.ts";
import type { Reported } from "./reported.ts";
import { placeOf } from "./place-finder.ts";

/**
 * The findings as JUnit XML with the attributes that Jenkins' schema knows: a suite for the rules, and a failed test for each finding.
 * Without findings one test passes, because an empty suite counts as a missing report.
 */
export function junitReport(findings: readonly Reported[], root: string): string {
  const counts = `tests="${Math.max(1, findings.length)}" failures="${findings.length}" errors="0" skipped="0" time="0"`;
  const cases =
    findings.length === 0
      ? ['    <testcase classname="waymark.lint" name="no findings" time="0"/>']
      : findings.map((finding) => testCase(finding, root));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<testsuites>",
    `  <testsuite name="waymark lint" ${counts}>`,
    ...cases,
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function testCase(finding: Reported, root: string): string {
  const { code, severity, message, method, path } = finding;
  const place = placeOf(finding, root);
  const operation = [method, path].filter((part) => part !== null).join(" ");
  const name = `${operation === "" ? "" : `${operation} `}(${place})`;
  return (
    `    <testcase classname="waymark.lint.${escape(code)}" name="${escape(name)}" time="0">` +
    `<failure type="${severity}" message="${escape(message)}">${escape(`${place}: ${message}`)}</failure></testcase>`
  );
}

/** Escapes a text, also for attributes, where a line break would become a blank. */
function escape(text: string): string {
  return escapeMarkup(text).replaceAll("\n", "&#10;");
}
