import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

// `npm run dev -w @waymark/web` serves the sources and passes the interface on to a running api.
const api = { target: "http://127.0.0.1:3000", changeOrigin: false };

/** Puts a .gz beside every asset, so that the api sends it without compressing anything itself. */
function compressAssets(): Plugin {
  return {
    name: "compress-assets",
    apply: "build",
    async writeBundle({ dir = "dist" }) {
      const folder = path.join(dir, "assets");
      for (const name of await readdir(folder)) {
        const content = await readFile(path.join(folder, name));
        await writeFile(path.join(folder, `${name}.gz`), await promisify(gzip)(content, { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  plugins: [react(), compressAssets()],
  // Assets are named after their content and cached for ever. A source map would double what is served.
  build: { sourcemap: false, assetsInlineLimit: 0 },
  server: { port: 5173, proxy: { "/api": api, "/openapi.json": api, "/docs": api } },
});
