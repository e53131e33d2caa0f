import type { OptionsOf } from "../../../framework/base-command.ts";
import type { JourneyStatusCommand } from "../status.ts";
import type { CliContext } from "../../../framework/context.ts";
import { writeJson, writeLine } from "../../../lib/output.ts";
import { plural } from "../../../lib/text.ts";
import { JOURNEY_EXIT } from "../exit-codes.ts";
import { collectFiles } from "./collect-files.ts";
import { compareFiles, type FileState } from "./compare.ts";
import { readKnownFiles } from "./read-known-files.ts";
import { openSync } from "./sync-context.ts";

/** The options of `waymark journey status` as given. */
type StatusFlags = OptionsOf<JourneyStatusCommand>;

const WORDS: Readonly<Record<FileState, string>> = {
  same: "same",
  "new-here": "new here",
  "new-there": "new on the server",
  "changed-here": "changed here",
  "changed-there": "changed on the server",
  "changed-both": "changed on both sides",
  "removed-here": "removed here",
  "removed-there": "archived on the server",
};

/** Prints which files differ from the server's documents. */
export async function runStatus(context: CliContext, flags: StatusFlags): Promise<number> {
  const { files } = await collectFiles(context, ["."]);
  const { remote, state } = await openSync(context, flags, context.cwd);
  const known = await readKnownFiles(context, [...remote.keys(), ...state.keys()]);
  const compared = compareFiles(new Map([...known, ...files]), remote, state);
  const different = compared.filter((file) => file.state !== "same");
  if (flags.json === true) {
    writeJson(
      context.stdout,
      different.map((file) => ({
        path: file.path,
        state: file.state,
        version: file.remote?.headVersion ?? null,
        baseVersion: file.synced?.version ?? null,
      })),
      2,
    );
    return JOURNEY_EXIT.passed;
  }
  for (const file of different) writeLine(context.stdout, `${WORDS[file.state].padEnd(22)}  ${file.path}`);
  writeLine(context.stdout, `${plural(compared.length, "document")}, ${different.length} different.`);
  return JOURNEY_EXIT.passed;
}
