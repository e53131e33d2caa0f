import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const OWN = fileURLToPath(new URL("../src/app/use-merge-refs.ts", import.meta.url));

/** Mantine's ScrollArea takes one hook of @floating-ui/react, and would bring all that positions menus to every table. */
export function mergeRefs(): Plugin {
  return {
    name: "merge-refs",
    apply: "build",
    enforce: "pre",
    resolveId: (source, importer) =>
      source === "@floating-ui/react" && importer?.endsWith("/ScrollArea.mjs") === true ? OWN : null,
  };
}
