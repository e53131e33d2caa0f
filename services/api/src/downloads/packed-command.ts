import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { VERSION } from "@waymark/shared/version.ts";

/** The folder of the image, and of a checkout after `npm run pack:command`. */
const DEFAULT_FOLDER = fileURLToPath(new URL("../../../../downloads/", import.meta.url));

/** The command as npm installs it. */
export interface PackedCommand {
  bytes: Buffer;
  /** In hexadecimal. */
  sha256: string;
}

/** The name of the packed command of this version. */
export const PACKED_NAME = `waymark-${VERSION}.tgz`;

/** Reads the packed command of this version; undefined if it is not packed. It has 1.1 MB. */
export async function readPackedCommand(folder = DEFAULT_FOLDER): Promise<PackedCommand | undefined> {
  const bytes = await readFile(path.join(folder, PACKED_NAME)).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  });
  if (bytes === undefined) return undefined;
  return { bytes, sha256: createHash("sha256").update(bytes).digest("hex") };
}
