import { fileURLToPath } from "node:url";
import { type Config, createConfig, lintConfig, loadConfig } from "@redocly/openapi-core";
import { CliError, usageError } from "../lib/cli-error.ts";
import { printable } from "../lib/text.ts";
import { checkRuleset } from "./check-ruleset.ts";
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

/** @throws {CliError} for a ruleset that can't be read, is invalid, or has plugins that are not allowed */
export async function loadRules({ rulesFile, allowPlugins, readText }: RulesOptions): Promise<Config> {
  if (rulesFile === undefined) return createConfig({ extends: ["recommended"] }, { configPath: OWN_RULES });
  const faults: CliError[] = [];
  const readChecked: ReadText = async (file) => {
    const text = await readText(file);
    faults.push(...[(await checkRuleset(text, file)) ?? []].flat());
    return text;
  };
  const externalRefResolver = new LocalResolver({ folder: undefined, readText: readChecked });
  // The rule engine would wrap these errors in its own.
  await readChecked(rulesFile);
  const [fault] = faults;
  if (fault !== undefined) throw fault;
  try {
    if (!allowPlugins) await refusePlugins(rulesFile, externalRefResolver);
    const config = await loadConfig({ configPath: rulesFile, externalRefResolver });
    const problems = await lintConfig({ config, externalRefResolver });
    if (faults.length > 0) throw faults[0];
    if (problems.length === 0) return config;
    throw usageError(`The ruleset ${rulesFile} is not valid:`, {
      details: problems.slice(0, 10).map(({ message }) => printable(message, 300)),
    });
  } catch (error) {
    if (error instanceof CliError) throw error;
    // The fault of a ruleset that this one extends.
    if (faults[0] !== undefined) throw faults[0];
    throw usageError(`The ruleset ${rulesFile} can't be used: ${reasonOf(error)}`, { cause: error });
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

/** The message of an error of the rule engine, for the user. */
export function reasonOf(error: unknown): string {
  return printable(error instanceof Error ? error.message : String(error), 300);
}
