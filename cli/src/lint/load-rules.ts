import { fileURLToPath } from "node:url";
import { type Config, createConfig, lintConfig, loadConfig } from "@redocly/openapi-core";
import { CliError, usageError } from "../lib/cli-error.ts";
import { printable } from "../lib/text.ts";
import { checkRules } from "./check-rules.ts";
import { checkRuleset, rulesNamedIn } from "./check-ruleset.ts";
import { LocalResolver, type ReadText } from "./local-resolver.ts";

// The engine runs @theme/plugin.js in the ruleset's folder even if the ruleset doesn't name it. Without a ruleset that would be
// the working directory, so it gets this file's folder, which has none.
const OWN_RULES = fileURLToPath(new URL("redocly.yaml", import.meta.url));

export interface RulesOptions {
  /** A ruleset in the form of `redocly.yaml`; undefined for the engine's recommended rules. */
  rulesFile: string | undefined;
  allowPlugins: boolean;
  readText: ReadText;
}

export interface LoadedRules {
  config: Config;
  /** The rules whose level the ruleset, or a file that it extends, gives itself. */
  named: ReadonlySet<string>;
}

/** @throws {CliError} for a ruleset that can't be read, is invalid, or has plugins that are not allowed */
export async function loadRules({ rulesFile, allowPlugins, readText }: RulesOptions): Promise<LoadedRules> {
  const named = new Set<string>();
  if (rulesFile === undefined) {
    const own = await createConfig({ extends: ["recommended"] }, { configPath: OWN_RULES });
    return { config: own, named };
  }
  // The first fault of a ruleset or of one that it extends. The rule engine would wrap it in an error of its own.
  let fault: CliError | undefined;
  const readChecked: ReadText = async (file) => {
    const text = await readText(file);
    const found = await checkRuleset(text, file);
    fault ??= found;
    for (const rule of await rulesNamedIn(text, file)) named.add(rule);
    return text;
  };
  const externalRefResolver = new LocalResolver({ folder: undefined, readText: readChecked });
  await readChecked(rulesFile);
  if (fault !== undefined) throw fault;
  let config: Config;
  let problems: Awaited<ReturnType<typeof lintConfig>>;
  try {
    if (!allowPlugins) await refusePlugins(rulesFile, externalRefResolver);
    config = await loadConfig({ configPath: rulesFile, externalRefResolver });
    problems = await lintConfig({ config, externalRefResolver });
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw fault ?? usageError(`The ruleset ${rulesFile} can't be used: ${reasonOf(error)}`, { cause: error });
  }
  if (fault !== undefined) throw fault;
  if (problems.length === 0) {
    const idle = checkRules(config, rulesFile);
    if (idle !== undefined) throw idle;
    return { config, named };
  }
  throw usageError(`The ruleset ${rulesFile} is not valid:`, {
    details: problems.slice(0, 10).map(({ message }) => printable(message, 300)),
  });
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

/** The message of an error of the rule engine, for the user. */
export function reasonOf(error: unknown): string {
  return printable(error instanceof Error ? error.message : String(error), 300);
}
