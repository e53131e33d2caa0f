import { fileURLToPath } from "node:url";
import manifest from "../package.json" with { type: "json" };

/** The version of this package, as `waymark --version` prints it. */
export const VERSION: string = manifest.version;

/** The path of this package's README. The bundle is as deep in the package as this file. */
export function readmeFile(): string {
  return fileURLToPath(new URL("../README.md", import.meta.url));
}
