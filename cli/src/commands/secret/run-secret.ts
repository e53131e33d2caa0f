import { keyComesFromStdin } from "../../framework/api-key.ts";
import { given } from "../../lib/config.ts";
import type { CliContext } from "../../framework/context.ts";
import {
  deleteSecret,
  type Environment,
  listSecrets,
  requireEnvironment,
  setSecret,
} from "../../api/environments-api.ts";
import type { ApiConnection } from "../../api/api-client.ts";
import { EXIT_CODES, type ExitCode, usageError } from "../../lib/cli-error.ts";
import { STDIN_NAME } from "../../lib/collect-bytes.ts";
import { writeJson, writeLine } from "../../lib/output.ts";
import { readText } from "../../lib/read-text.ts";
import { createReporter } from "../../lib/reporter.ts";
import { printable } from "../../lib/text.ts";
import { connect } from "../../framework/connect.ts";
import type { ConnectionFlags } from "../../framework/connection-flags.ts";
import { describeSecret } from "./describe-secret.ts";

interface EnvironmentFlags extends ConnectionFlags {
  env: string | undefined;
}

interface SecretFlags extends EnvironmentFlags {
  secret: string;
}

/** The server's limit of a value, and a line break. */
const INPUT_BYTES_MAX = 64 * 1024 + 2;

export async function setFromStandardInput(
  context: CliContext,
  flags: SecretFlags & { host: readonly string[] },
): Promise<ExitCode> {
  const name = nameOf(flags);
  if (keyComesFromStdin(flags)) {
    throw usageError(
      "Standard input has the secret's value: give the API key by --api-key-file or SERVICE_API_KEY.",
    );
  }
  const value = await readValue(context);
  const { connection, environment } = await open(context, flags);
  const hosts = flags.host.length === 0 ? {} : { hosts: [...flags.host] };
  await setSecret(connection, environment.id, { name, value, ...hosts });
  writeLine(context.stdout, `Set: ${name} of ${printable(environment.name, 100)}`);
  return EXIT_CODES.ok;
}

export async function printSecrets(
  context: CliContext,
  flags: EnvironmentFlags & { json: boolean | undefined },
): Promise<ExitCode> {
  const { connection, environment } = await open(context, flags);
  const secrets = await listSecrets(connection, environment.id);
  if (flags.json === true) writeJson(context.stdout, secrets, 2);
  else if (secrets.length === 0) writeLine(context.stdout, "The environment has no secrets.");
  else for (const secret of secrets) writeLine(context.stdout, printable(describeSecret(secret), 2_000));
  return EXIT_CODES.ok;
}

export async function removeSecret(context: CliContext, flags: SecretFlags): Promise<ExitCode> {
  const name = nameOf(flags);
  const { connection, environment } = await open(context, flags);
  await deleteSecret(connection, environment.id, name);
  writeLine(context.stdout, `Removed: ${name} of ${printable(environment.name, 100)}`);
  return EXIT_CODES.ok;
}

/** Never shown where it is wrong: it may be the value, or `NAME=value`. */
function nameOf({ secret }: SecretFlags): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(secret)) return secret;
  throw usageError(
    "The name of a secret has letters, digits and '_', and doesn't begin with a digit. Its value comes from standard input.",
  );
}

async function readValue(context: CliContext): Promise<string> {
  const stdin = context.openStdin();
  if ("isTTY" in stdin && stdin.isTTY === true) {
    throw usageError(
      "The value is read from standard input, so that no terminal shows it and no shell keeps it: waymark secret set NAME --env E < file.",
    );
  }
  const text = await readText(context, STDIN_NAME, { bytesMax: INPUT_BYTES_MAX, keepBom: true });
  const value = text.replace(/\r?\n$/, "");
  if (value === "") throw usageError("Standard input is empty: it must have the secret's value.");
  return value;
}

async function open(
  context: CliContext,
  flags: EnvironmentFlags,
): Promise<{ connection: ApiConnection; environment: Environment }> {
  const nameOrId = given(flags.env);
  if (nameOrId === undefined) throw usageError("--env is required: the name or id of the environment.");
  const connection = await connect(context, createReporter(context.stderr, { quiet: false }), flags);
  return { connection, environment: await requireEnvironment(connection, nameOrId) };
}
