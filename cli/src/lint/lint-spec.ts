import path from "node:path";
import { fileURLToPath } from "node:url";
import {
  type Config,
  createConfig,
  lintConfig,
  lintDocument,
  loadConfig,
  type NormalizedProblem,
  Source,
} from "@redocly/openapi-core";
import type { Severity } from "@waymark/shared/scans/schema.ts";
import { CliError, usageError } from "../lib/cli-error.ts";
import { printable } from "../lib/text.ts";
import { LocalResolver, type ReadText } from "./local-resolver.ts";
import type { LocatedFinding } from "./located-finding.ts";
import { toFinding } from "./to-finding.ts";

export interface LintSource {
  /** Absolute path. */
  file: string;
  text: string;
  /** The parsed document. */
  value: unknown;
}

export interface LintOptions {
  /** A ruleset in the form of `redocly.yaml`; undefined for the engine's recommended rules. */
  rulesFile: string | undefined;
  /** Of rules whose findings don't have the rule engine's severity. */
  severities: ReadonlyMap<string, Severity>;
  /** Plugins are code: they run only where the operator allows it. */
  allowPlugins: boolean;
  /** Called before the first plugin is loaded. */
  beforePlugins: () => void;
  allowOutside: boolean;
  readText: ReadText;
}

const RANK: Record<Severity, number> = { critical: 0, high: 1, medium: 2, low: 3, info: 4 };

/**
 * Lints a spec with Redocly's rules; the most severe findings come first, otherwise in the engine's order.
 * @throws {CliError} if the ruleset is invalid or the engine fails; it never returns an empty list instead
 */
export async function lintSpec(source: LintSource, options: LintOptions): Promise<LocatedFinding[]> {
  const config = await loadRules(options);
  let problems: NormalizedProblem[];
  try {
    problems = await lintDocument({
      document: { source: new Source(source.file, source.text), parsed: source.value },
      config,
      externalRefResolver: new LocalResolver({
        folder: options.allowOutside ? undefined : path.dirname(source.file),
        readText: options.readText,
      }),
    });
  } catch (error) {
    throw usageError(`The rule engine failed on this spec, nothing was sent: ${reason(error)}`, {
      cause: error,
    });
  }
  const findings = problems
    .filter(({ ignored }) => ignored !== true)
    .map((problem) => toFinding(problem, options.severities));
  return findings.toSorted((a, b) => RANK[a.severity] - RANK[b.severity]);
}

// The engine runs @theme/plugin.js in the ruleset's folder even if the ruleset doesn't name it. Without a ruleset that would be
// the working directory, so it gets this file's folder, which has none.
const OWN_RULES = fileURLToPath(new URL("redocly.yaml", import.meta.url));

async function loadRules(options: LintOptions): Promise<Config> {
  const { rulesFile, readText } = options;
  if (rulesFile === undefined) return createConfig({ extends: ["recommended"] }, { configPath: OWN_RULES });
  const externalRefResolver = new LocalResolver({ folder: undefined, readText });
  // The rule engine would wrap the error of a missing file in its own.
  await readText(rulesFile);
  try {
    if (options.allowPlugins) options.beforePlugins();
    else await refusePlugins(rulesFile, externalRefResolver);
    const config = await loadConfig({ configPath: rulesFile, externalRefResolver });
    const faults = await lintConfig({ config, externalRefResolver });
    if (faults.length === 0) return config;
    throw usageError(`The ruleset ${rulesFile} is not valid:`, {
      details: faults.slice(0, 10).map(({ message }) => printable(message, 300)),
    });
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw usageError(`The ruleset ${rulesFile} can't be used: ${reason(error)}`, { cause: error });
  }
}

/** Finds the plugins that would be loaded, also through `extends`, without loading them. */
async function refusePlugins(rulesFile: string, externalRefResolver: LocalResolver): Promise<void> {
  const { plugins } = await loadConfig({ configPath: rulesFile, externalRefResolver, skipPluginEval: true });
  const files = plugins.flatMap(({ absolutePath }) => absolutePath ?? []);
  if (files.length === 0) return;
  throw usageError(
    `The ruleset ${rulesFile} runs plugins, which are code that a pull request can change: nothing was run or sent.`,
    {
      details: [
        ...files.slice(0, 10).map((file) => `plugin: ${file}`),
        "If you trust this code with the API key, pass --allow-plugins or set WAYMARK_ALLOW_PLUGINS=true.",
      ],
    },
  );
}

function reason(error: unknown): string {
  return printable(error instanceof Error ? error.message : String(error), 300);
}
