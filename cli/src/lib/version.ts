import { fileURLToPath } from "node:url";
import manifest from "../../package.json" with { type: "json" };

/** The version of this package, as `waymark --version` prints it. */
export const VERSION: string = manifest.version;

/** Returns the path of this package's README. The bundle is one folder less deep in the package than this file. */
export function readmeFile(): string {
  const up = import.meta.url.endsWith(".ts") ? "../.." : "..";
  return fileURLToPath(new URL(`${up}/README.md`, import.meta.url));
}
