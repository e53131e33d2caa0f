import type { OptionsOf } from "../../framework/base-command.ts";
import type { EnvironmentSetCommand } from "./set.ts";
import type { CliContext } from "../../framework/context.ts";
import {
  createEnvironment,
  type Environment,
  type EnvironmentSettings,
  findEnvironment,
  replaceEnvironment,
} from "../../api/environments-api.ts";
import { EXIT_CODES, type ExitCode, usageError } from "../../lib/cli-error.ts";
import { writeJson, writeLine } from "../../lib/output.ts";
import { createReporter } from "../../lib/reporter.ts";
import { printable } from "../../lib/text.ts";
import { readProjectFile } from "../../framework/project-file.ts";
import { connect } from "../../framework/connect.ts";
import { readAssignments } from "../journey/assignments.ts";

type SetEnvironmentFlags = OptionsOf<EnvironmentSetCommand>;

/** Creates the environment, or changes the settings that the options name. */
export async function setEnvironment(context: CliContext, flags: SetEnvironmentFlags): Promise<ExitCode> {
  const change = await readChange(context, flags);
  const connection = await connect(context, createReporter(context.stderr, { quiet: false }), flags);
  const before = await findEnvironment(connection, flags.environment);
  const settings = apply(change, before, flags);
  const environment =
    before === undefined
      ? await createEnvironment(connection, settings)
      : await replaceEnvironment(connection, before, settings);
  if (flags.json === true) writeJson(context.stdout, environment, 2);
  else {
    const done = before === undefined ? "Created" : "Changed";
    writeLine(
      context.stdout,
      `${done}: ${printable(environment.name, 100)} (revision ${environment.revision})`,
    );
  }
  return EXIT_CODES.ok;
}

/** The values that the command line sets, by name; an empty text removes one. */
interface Change {
  project: Partial<Pick<Environment, "servers" | "variables" | "inputs">>;
  servers: ReadonlyMap<string, string>;
  variables: ReadonlyMap<string, string>;
  inputs: ReadonlyMap<string, string>;
}

async function readChange(context: CliContext, flags: SetEnvironmentFlags): Promise<Change> {
  const variables = readAssignments("--variable", flags.variable);
  for (const name of variables.keys()) {
    if (!/^[^.]+\../.test(name)) throw usageError("--variable takes <source>.<name>=<value>.");
  }
  return {
    project: flags.fromProject === true ? await readProject(context, flags.environment) : {},
    servers: readAssignments("--server", flags.server),
    variables,
    inputs: readAssignments("--input", flags.input),
  };
}

async function readProject(context: CliContext, name: string): Promise<Change["project"]> {
  const { environments = {} } = await readProjectFile(context);
  const own = Object.hasOwn(environments, name) ? environments[name] : undefined;
  if (own === undefined) {
    throw usageError(`waymark.yaml has no environment "${printable(name, 100)}" to take settings from.`);
  }
  const { servers = {}, variables = {}, inputs = {} } = own;
  return { servers, variables, inputs };
}

function apply(
  { project, ...change }: Change,
  before: Environment | undefined,
  flags: SetEnvironmentFlags,
): EnvironmentSettings {
  const base = { servers: {}, variables: {}, inputs: {}, ...before, ...project };
  const { protected: isProtected = before?.protected, bodies = before?.storesBodies } = flags;
  return {
    name: flags.rename ?? before?.name ?? flags.environment,
    servers: merged(base.servers, change.servers, (url) => url),
    variables: mergedVariables(base.variables, change.variables),
    inputs: merged(base.inputs, change.inputs, inputValue),
    ...allowedHosts(before, flags.reach),
    ...(isProtected === undefined ? {} : { protected: isProtected }),
    ...(bodies === undefined ? {} : { storesBodies: bodies }),
  };
}

/**
 * For a new environment, Waymark allows the hosts of its servers. An existing one keeps its list until another is given.
 */
function allowedHosts(
  before: Environment | undefined,
  reach: readonly string[],
): { allowedHosts?: string[] } {
  if (reach.length > 0) return { allowedHosts: [...reach] };
  return before === undefined ? {} : { allowedHosts: before.allowedHosts };
}

function merged<Value>(
  base: Readonly<Record<string, Value>>,
  change: ReadonlyMap<string, string>,
  read: (text: string) => Value,
): Record<string, Value> {
  const kept = Object.entries(base).filter(([name]) => !change.has(name));
  const given = [...change].filter(([, text]) => text !== "");
  return Object.fromEntries([...kept, ...given.map(([name, text]): [string, Value] => [name, read(text)])]);
}

function mergedVariables(
  base: Environment["variables"],
  change: ReadonlyMap<string, string>,
): Environment["variables"] {
  const bySource = new Map(Object.entries(base));
  for (const [path, value] of change) {
    const dot = path.indexOf(".");
    const source = path.slice(0, dot);
    const one = new Map([[path.slice(dot + 1), value]]);
    bySource.set(
      source,
      merged(bySource.get(source) ?? {}, one, (text) => text),
    );
  }
  return Object.fromEntries([...bySource].filter(([, values]) => Object.keys(values).length > 0));
}

/** JSON where it is JSON, and else the text: a number needs no quotes, and neither does a name. */
function inputValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
}
