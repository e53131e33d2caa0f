import { temporaryFolder, type TemporaryFolder } from "../../src/test-support/run-captured.ts";

/** A command line among files and servers whose every text is hostile, in each place that the command reads. */
export interface HostileLine {
  args: string[];
  cwd: string;
  env?: Record<string, string>;
  stdin?: string;
}

/** Removes the half of a surrogate pair, which a document or a scan can't contain: its fault would hide the other hostile parts. */
export const wellFormed = (text: string): string => text.replaceAll("\ud800", "");

export type MakeHostile = (text: string) => Promise<HostileLine>;

export async function folderWith(files: Record<string, unknown>): Promise<TemporaryFolder> {
  const folder = await temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    await folder.write(name, typeof content === "string" ? content : JSON.stringify(content));
  }
  return folder;
}
