import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Plugin } from "vite";

/** Adds the licence of the font to the files, as it demands. */
export function fontLicence(): Plugin {
  return {
    name: "font-licence",
    apply: "build",
    async buildStart() {
      const licence = createRequire(import.meta.url).resolve("@fontsource-variable/geist/LICENSE");
      this.emitFile({ type: "asset", fileName: "assets/geist-LICENSE.txt", source: await readFile(licence) });
    },
  };
}
