import path from "node:path";
import { type Config, lintDocument, type NormalizedProblem, Source } from "@redocly/openapi-core";
import { isObject } from "@waymark/openapi/json.ts";
import type { Severity } from "@waymark/shared/scans/schema.ts";
import { decodeText } from "../openapi/decode-text.ts";
import { readSpecFile } from "../openapi/read-source.ts";
import type { LintTask, PlacedFinding } from "./lint-messages.ts";
import { loadRules, reasonOf } from "./load-rules.ts";
import { DescriptionResolver } from "./local-resolver.ts";
import { duplicateFinding, failureFinding, toFinding } from "./to-finding.ts";
import { watchRules } from "./watch-rules.ts";
import type { Watch } from "./watch.ts";

export interface RunOptions {
  watch: Watch;
  /** Called when the rules are loaded. */
  onStart: () => void;
  /** Called with each file that is read. */
  onRead: (file: string) => void;
}

const RANK: Record<Severity, number> = { critical: 0, high: 1, medium: 2, low: 3, info: 4 };

/**
 * Runs Redocly's rules on a description; the most severe findings come first, otherwise in the engine's order. A rule that fails, and an
 * engine that does, is a finding too, and a sentence in `failures`.
 * @throws {CliError} if the ruleset is invalid
 */
export async function runRules(
  task: LintTask,
  { watch, onStart, onRead }: RunOptions,
): Promise<{ findings: PlacedFinding[]; failures: string[]; ignored: number }> {
  const { source, rulesFile, severities } = task;
  const readText = async (file: string): Promise<string> => {
    onRead(file);
    const name = path.relative(process.cwd(), file);
    return decodeText(await readSpecFile(file, file === rulesFile ? `the ruleset ${name}` : name), name);
  };
  const { config, named } = await loadRules({ ...task, readText });
  onStart();
  const failed = watchRules(config, watch);
  const folder = task.allowOutside ? undefined : path.dirname(source.file);
  const resolver = new DescriptionResolver({ folder, readText });
  resolver.add(source.file, source);
  const found = await lintAll(source, config, resolver);
  const failures = [
    ...failed().map(({ rule, location, error }) =>
      failureFinding(`The rule ${rule} failed, so its findings are missing: ${reasonOf(error)}`, location),
    ),
    ...(found.failure === undefined ? [] : [failureFinding(found.failure, undefined)]),
  ];
  const findings = [
    ...failures.map((finding) => ({
      ...finding,
      file: finding.file === "" ? source.file : finding.file,
      severity: severities.get(finding.code) ?? finding.severity,
    })),
    ...[...resolver.duplicateKeys].flatMap(([file, keys]) => {
      const from = file === source.file ? undefined : path.relative(path.dirname(source.file), file);
      return keys.map((key) => duplicateFinding(key, { file, from, severities }));
    }),
    ...found.problems
      .filter(({ ignored }) => ignored !== true)
      .map((problem) => toFinding(problem, { severities, named })),
  ];
  return {
    findings: findings.toSorted((a, b) => RANK[a.severity] - RANK[b.severity]),
    failures: failures.map(({ message }) => message),
    ignored: found.problems.filter(({ ignored }) => ignored === true).length,
  };
}

async function lintAll(
  source: LintTask["source"],
  config: Config,
  externalRefResolver: DescriptionResolver,
): Promise<{ problems: NormalizedProblem[]; failure?: string }> {
  try {
    const document = { source: new Source(source.file, source.text), parsed: lintable(source.value) };
    return { problems: await lintDocument({ document, config, externalRefResolver }) };
  } catch (error) {
    return { problems: [], failure: `The description could not be linted: ${reasonOf(error)}` };
  }
}

/** True for a version as text, or as a number, which YAML makes of an unquoted one. */
function isVersion(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

/** The description with a version as the engine wants it: complete, and as a text. */
function lintable(value: unknown): unknown {
  if (!isObject(value)) return value;
  const complete = { ...value };
  const { openapi, swagger } = complete;
  if (isVersion(openapi)) {
    complete["openapi"] = String(openapi).replace(/^3(\.\d+)?$/, (_, minor = ".0") => `3${minor}.0`);
  }
  if (isVersion(swagger)) complete["swagger"] = String(swagger).replace(/^2$/, "2.0");
  return complete;
}
