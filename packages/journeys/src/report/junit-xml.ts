import { escapeMarkup } from "./text.ts";

/** A suite of JUnit XML. `junitXml` says which schemas it keeps to. */
export interface JunitSuite {
  name: string;
  package: string;
  /** ISO 8601. */
  startedAt: string;
  ms: number;
  failures: number;
  errors: number;
  skipped: number;
  properties: readonly (readonly [name: string, value: string])[];
  cases: readonly JunitCase[];
}

export interface JunitCase {
  classname: string;
  name: string;
  ms: number;
  /** Why it did not pass. */
  outcome?:
    | { tag: "failure" | "error"; message: string; type: string; text: string }
    | { tag: "skipped"; message: string };
}

/**
 * Writes suites as JUnit XML with all that Ant's schema requires, and nothing that it or Jenkins' schema refuses: both know neither
 * files nor lines.
 */
export function junitXml(suites: readonly JunitSuite[]): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<testsuites>",
    ...suites.flatMap(suiteLines),
    "</testsuites>",
    "",
  ].join("\n");
}

function suiteLines(suite: JunitSuite, id: number): string[] {
  const { name, failures, errors, skipped, cases } = suite;
  const attributes = attributesText({
    id,
    package: suite.package,
    name,
    // The schema has neither fractions of a second nor a time zone.
    timestamp: new Date(suite.startedAt).toISOString().slice(0, 19),
    hostname: "localhost",
    time: seconds(suite.ms),
    tests: cases.length,
    failures,
    errors,
    skipped,
  });
  return [
    `  <testsuite ${attributes}>`,
    "    <properties>",
    ...suite.properties.map(([key, value]) => `      <property ${attributesText({ name: key, value })}/>`),
    "    </properties>",
    ...cases.map(caseLine),
    "    <system-out/>",
    "    <system-err/>",
    "  </testsuite>",
  ];
}

function caseLine({ classname, name, ms, outcome }: JunitCase): string {
  const attributes = attributesText({ classname, name, time: seconds(ms) });
  if (outcome === undefined) return `    <testcase ${attributes}/>`;
  const { tag, message } = outcome;
  if (tag === "skipped")
    return `    <testcase ${attributes}><skipped ${attributesText({ message })}/></testcase>`;
  const { type, text } = outcome;
  return `    <testcase ${attributes}><${tag} ${attributesText({ message, type })}>${escapeMarkup(text)}</${tag}></testcase>`;
}

function attributesText(attributes: Readonly<Record<string, string | number>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => `${name}="${escapeMarkup(String(value)).replaceAll("\n", "&#10;")}"`)
    .join(" ");
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
