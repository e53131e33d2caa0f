import { getOwnKey } from "../../api/keys-api.ts";
import { readKeyStream } from "../../framework/api-key.ts";
import { type DestinationFlags, destinationFrom, given } from "../../lib/config.ts";
import type { CliContext } from "../../framework/context.ts";
import { storeKey } from "../../framework/key-store.ts";
import { EXIT_CODES, type ExitCode, usageError } from "../../lib/cli-error.ts";
import { writeLine } from "../../lib/output.ts";
import { createReporter } from "../../lib/reporter.ts";
import { printable } from "../../lib/text.ts";
import { readProjectFile } from "../../framework/project-file.ts";
import { openConnection } from "../../framework/connect.ts";
import { readCertificate } from "../../framework/connection-flags.ts";
import { describeExpiry } from "../doctor/diagnose.ts";
import { canAskHidden, readHidden } from "./read-hidden.ts";

/** Reads a key, lets the server check it, and stores it for that server. */
export async function runLogin(
  context: CliContext,
  flags: DestinationFlags & { caCert: string | undefined },
): Promise<ExitCode> {
  const project = await readProjectFile(context);
  const destination = destinationFrom(flags, context.env, project.url);
  const reporter = createReporter(context.stderr, { quiet: false });
  const settings = { destination, extraCa: await readCertificate(context.cwd, flags.caCert) };
  // Refuses a wrong address before the user types the key.
  const { baseUrl } = openConnection(context, reporter, { ...settings, apiKey: undefined });
  const apiKey = given(await readKey(context, printable(baseUrl, 200)));
  if (apiKey === undefined) {
    throw usageError(
      "No API key was given, so nothing is stored: type it when asked, or pass it on standard input.",
    );
  }
  const key = await getOwnKey(openConnection(context, reporter, { ...settings, apiKey }));
  const file = await storeKey(context.env, destination.apiUrl, apiKey);
  const expiry = describeExpiry(key.expiresAt, Date.now()).text;
  writeLine(
    context.stdout,
    `Logged in to ${printable(baseUrl, 200)} with the key ${printable(key.prefix, 100)} "${printable(key.name, 100)}", ${expiry}.`,
  );
  writeLine(context.stdout, `The key is in ${file}, which only you can read. waymark logout removes it.`);
  if (given(context.env["SERVICE_API_KEY"]) !== undefined) {
    reporter.note(
      "SERVICE_API_KEY is set and takes precedence over the stored key: unset it to use that one.",
    );
  }
  return EXIT_CODES.ok;
}

function readKey(context: CliContext, server: string): Promise<string> {
  const { stderr } = context;
  const stdin = context.openStdin();
  if (!canAskHidden(stdin)) return readKeyStream(stdin);
  return readHidden({ stdin, stderr }, `API key for ${server} (not shown): `);
}
