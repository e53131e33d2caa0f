import path from "node:path";
import type { ApiConnection } from "../../api/api-client.ts";
import { findOwner, findTeamOf, putOwner } from "../../api/owners-api.ts";
import { tryingOnce } from "../../api/try-once.ts";
import type { CliContext } from "../../framework/context.ts";
import { CliError } from "../../lib/cli-error.ts";
import { codeOwnersOf } from "../../lib/codeowners.ts";
import { foldersToRoot } from "../../lib/folders-to-root.ts";
import { readText } from "../../lib/read-text.ts";
import type { Reporter } from "../../lib/reporter.ts";
import { printable } from "../../lib/text.ts";
import type { ScanSettings } from "./settings.ts";

/** Where GitHub and GitLab look for the file: the first that is there counts. */
const CODEOWNERS = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"];
/** GitHub reads no larger file. */
const BYTES_MAX = 3 * 1024 * 1024;

/**
 * Sets the owner that `waymark.yaml` or `CODEOWNERS` names, if the service has none. It can't fail the scan: whatever goes wrong is a
 * note, and nothing is said if no team has a name of `CODEOWNERS`.
 */
export async function setOwner(
  context: CliContext,
  reporter: Reporter,
  given: ApiConnection,
  { settings, serviceId }: { settings: ScanSettings; serviceId: string },
): Promise<void> {
  const { owner } = settings;
  const handles = owner === undefined ? await ownersOfDescription(context, settings) : [];
  if (owner === undefined && handles.length === 0) return;
  const connection = tryingOnce(given);
  let ownerTeam = owner;
  try {
    const present = await findOwner(connection, serviceId);
    if (present === undefined) return;
    if (present !== null) {
      if (owner !== undefined && !owner.startsWith("@") && owner !== present)
        noteOther(reporter, present, owner);
      return;
    }
    ownerTeam ??= await findTeamOf(connection, handles);
    if (ownerTeam === undefined) return;
    await putOwner(connection, { serviceId, ownerTeam });
    reporter.note(`the team ${printable(ownerTeam)} owns the service now, as ${sourceOf(owner)} says.`);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    // Nobody has asked for an owner of CODEOWNERS: only what this key may not do is worth a word.
    if (ownerTeam === undefined) return;
    const isUnknown = error.code === "not_found";
    const reason = isUnknown
      ? "no team has that name. Correct it, or create the team in the console (People, Teams)"
      : printable(error.message.replace(/[.]$/, ""));
    const details = isUnknown
      ? []
      : ["Somebody with these permissions can set it once, on the service's page."];
    reporter.omission(
      `the owner ${printable(ownerTeam)} of ${sourceOf(owner)} was not set: ${reason}.`,
      details,
    );
  }
}

function sourceOf(owner: string | undefined): string {
  if (owner !== undefined) return "waymark.yaml";
  return "CODEOWNERS";
}

function noteOther(reporter: Reporter, present: string, owner: string): void {
  reporter.omission(
    `the team ${printable(present)} owns the service, and waymark.yaml says ${printable(owner)}. A scan never changes an owner: ` +
      "change it on the service's page, or in waymark.yaml.",
  );
}

/** Returns the owners of the description's file in the repository's `CODEOWNERS`; none if there is no such file. */
async function ownersOfDescription(
  context: CliContext,
  { spec, stdinName }: Pick<ScanSettings, "spec" | "stdinName">,
): Promise<string[]> {
  const named = spec === "-" ? stdinName : spec;
  const root = foldersToRoot(context.cwd).at(-1);
  if (named === undefined || root === undefined) return [];
  const file = path.relative(root, path.resolve(context.cwd, named)).split(path.sep).join("/");
  if (file.startsWith("../")) return [];
  for (const name of CODEOWNERS) {
    const text = await readIn(context, path.join(root, name));
    if (text !== undefined) return codeOwnersOf(text, file).filter((each) => each.startsWith("@"));
  }
  return [];
}

async function readIn(context: CliContext, file: string): Promise<string | undefined> {
  try {
    return await readText(context, file, { bytesMax: BYTES_MAX });
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}
