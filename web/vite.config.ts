import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

// `npm run dev -w @waymark/web` serves the sources and forwards API requests to a running api.
const api = { target: "http://127.0.0.1:3000", changeOrigin: false };

/** Writes a .br and a .gz file for every asset, so that the api doesn't compress at run time. */
function compressAssets(): Plugin {
  return {
    name: "compress-assets",
    apply: "build",
    async writeBundle({ dir = "dist" }) {
      const folder = path.join(dir, "assets");
      for (const name of await readdir(folder)) {
        const content = await readFile(path.join(folder, name));
        await writeFile(path.join(folder, `${name}.br`), await promisify(brotliCompress)(content));
        await writeFile(path.join(folder, `${name}.gz`), await promisify(gzip)(content, { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  plugins: [react(), compressAssets()],
  // Asset names contain a content hash, so browsers cache them forever. Source maps would double the size.
  build: { sourcemap: false, assetsInlineLimit: 0 },
  server: { port: 5173, proxy: { "/api": api, "/openapi.json": api, "/docs": api } },
});
