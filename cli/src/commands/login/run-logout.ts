import { type DestinationFlags, destinationFrom } from "../../lib/config.ts";
import type { CliContext } from "../../framework/context.ts";
import { EXIT_CODES, type ExitCode } from "../../lib/cli-error.ts";
import { writeLine } from "../../lib/output.ts";
import { printable } from "../../lib/text.ts";
import { removeStoredKey } from "../../framework/key-store.ts";
import { readProjectFile } from "../../framework/project-file.ts";

/** Removes the stored key of the server. */
export async function runLogout(context: CliContext, flags: DestinationFlags): Promise<ExitCode> {
  const project = await readProjectFile(context);
  const { apiUrl } = destinationFrom(flags, context.env, project.url);
  const file = await removeStoredKey(context.env, apiUrl);
  const server = printable(apiUrl, 200);
  if (file === undefined) {
    writeLine(context.stdout, `No API key is stored for ${server}, so there is nothing to remove.`);
    return EXIT_CODES.ok;
  }
  writeLine(context.stdout, `Logged out of ${server}: the API key is removed from this machine.`);
  writeLine(
    context.stdout,
    "The server still accepts the key. Revoke it in the console if nothing else uses it.",
  );
  return EXIT_CODES.ok;
}
