import { Cli } from "clipanion";
import { commandsFor } from "../app/commands.ts";
import type { CliContext } from "../framework/context.ts";

/** Every registered command of waymark, with its options and its help. */
export async function commandDefinitions(): Promise<{ name: string; details: string; options: string[] }[]> {
  const cli = new Cli<CliContext>({ binaryName: "waymark" });
  for (const command of await commandsFor([])) cli.register(command);
  return cli.definitions().map(({ path, details = "", options }) => ({
    name: path.replace(/^waymark /, ""),
    details,
    options: options.flatMap(({ definition }) => definition.match(/--[\w-]+/g) ?? []),
  }));
}
