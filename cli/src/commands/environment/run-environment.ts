import type { CliContext } from "../../framework/context.ts";
import {
  deleteEnvironment,
  type EnvironmentDetails,
  getEnvironment,
  listEnvironments,
  listSecrets,
  requireEnvironment,
  type Secret,
} from "../../api/environments-api.ts";
import { EXIT_CODES, type ExitCode } from "../../lib/cli-error.ts";
import { writeJson, writeLine } from "../../lib/output.ts";
import { createReporter } from "../../lib/reporter.ts";
import { printable } from "../../lib/text.ts";
import { connect } from "../../framework/connect.ts";
import type { ConnectionFlags } from "../../framework/connection-flags.ts";
import { describeSecret } from "../secret/describe-secret.ts";

type JsonFlags = ConnectionFlags & { json: boolean | undefined };
type EnvironmentFlags = ConnectionFlags & { environment: string };

const open = (context: CliContext, flags: ConnectionFlags) =>
  connect(context, createReporter(context.stderr, { quiet: false }), flags);

export async function printEnvironments(context: CliContext, flags: JsonFlags): Promise<ExitCode> {
  const environments = await listEnvironments(await open(context, flags));
  if (flags.json === true) writeJson(context.stdout, environments, 2);
  else if (environments.length === 0) writeLine(context.stdout, "There are no environments.");
  else {
    for (const { id, name, protected: isProtected } of environments) {
      writeLine(context.stdout, `${id}  ${printable(name, 100)}${isProtected ? "  (protected)" : ""}`);
    }
  }
  return EXIT_CODES.ok;
}

export async function printEnvironment(
  context: CliContext,
  flags: JsonFlags & EnvironmentFlags,
): Promise<ExitCode> {
  const connection = await open(context, flags);
  const { id } = await requireEnvironment(connection, flags.environment);
  const [environment, secrets] = [await getEnvironment(connection, id), await listSecrets(connection, id)];
  if (flags.json === true) writeJson(context.stdout, { ...environment, secrets }, 2);
  else for (const line of describe(environment, secrets)) writeLine(context.stdout, line);
  return EXIT_CODES.ok;
}

export async function removeEnvironment(context: CliContext, flags: EnvironmentFlags): Promise<ExitCode> {
  const connection = await open(context, flags);
  const { id, name } = await requireEnvironment(connection, flags.environment);
  await deleteEnvironment(connection, id);
  writeLine(context.stdout, `Deleted: ${printable(name, 100)}`);
  return EXIT_CODES.ok;
}

function describe(environment: EnvironmentDetails, secrets: readonly Secret[]): string[] {
  const { servers, variables, inputs } = environment;
  return [
    `Name:        ${printable(environment.name, 100)}`,
    `Id:          ${environment.id}`,
    `Revision:    ${environment.revision}`,
    `Protected:   ${environment.protected ? "yes, runs released versions only" : "no"}`,
    `Bodies:      ${environment.storesBodies ? "stored" : "not stored"}`,
    ...section("Servers", Object.entries(servers).map(assignment)),
    ...section(
      "Variables",
      Object.entries(variables).flatMap(([source, values]) =>
        Object.entries(values).map(([name, value]) => assignment([`${source}.${name}`, value])),
      ),
    ),
    ...section(
      "Inputs",
      Object.entries(inputs).map(([name, value]) => assignment([name, JSON.stringify(value)])),
    ),
    ...section("May reach", environment.allowedHosts),
    ...section("Secrets", secrets.map(describeSecret)),
    ...section(
      "Releases",
      environment.releases.map(({ journeyId, version }) => `${journeyId} version ${version}`),
    ),
  ];
}

function assignment([name, value]: [string, string]): string {
  return `${name} = ${value}`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.map((line, index) => `${(index === 0 ? `${title}:` : "").padEnd(13)}${printable(line, 500)}`);
}
