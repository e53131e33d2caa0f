import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import type { Plugin } from "vite";

/** Writes a .br and a .gz file for every asset, so that the api doesn't compress at run time. */
export function compressAssets(): Plugin {
  return {
    name: "compress-assets",
    apply: "build",
    async writeBundle({ dir = "dist" }) {
      const folder = path.join(dir, "assets");
      for (const name of await readdir(folder)) {
        // Compressed by itself.
        if (name.endsWith(".woff2")) continue;
        const content = await readFile(path.join(folder, name));
        await writeFile(path.join(folder, `${name}.br`), await promisify(brotliCompress)(content));
        await writeFile(path.join(folder, `${name}.gz`), await promisify(gzip)(content, { level: 9 }));
      }
    },
  };
}
