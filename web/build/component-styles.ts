import { createRequire } from "node:module";
import { existsSync } from "node:fs";
import type { Plugin } from "vite";

const MODULE = /\/@mantine\/core\/esm\/(?:.*\/)?(\w+)\.mjs$/;
const { resolve } = createRequire(import.meta.url);

/**
 * Gives each component of Mantine its styles, so that they load with the part of the console that uses it. All of them together are
 * as large as the code of all components that the first page uses.
 */
export function componentStyles(): Plugin {
  let isBuild = true;
  return {
    name: "component-styles",
    configResolved: ({ command }) => {
      isBuild = command === "build";
    },
    transform(code, id) {
      // While developing, Vite bundles the library by itself, without plugins.
      if (!isBuild) return id.endsWith("/src/main.ts") ? `import "@mantine/core/styles.css";\n${code}` : null;
      const name = MODULE.exec(id)?.[1];
      if (name === undefined || !existsSync(stylesOf(name))) return null;
      return { code: `import "@mantine/core/styles/${name}.css";\n${code}`, map: null };
    },
  };
}

const styles = resolve("@mantine/core/styles/baseline.css").replace(/[^/\\]*$/, "");
const stylesOf = (name: string) => `${styles}${name}.css`;
