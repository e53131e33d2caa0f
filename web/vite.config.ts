import { createRequire } from "node:module";
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
        // Compressed by itself.
        if (name.endsWith(".woff2")) continue;
        const content = await readFile(path.join(folder, name));
        await writeFile(path.join(folder, `${name}.br`), await promisify(brotliCompress)(content));
        await writeFile(path.join(folder, `${name}.gz`), await promisify(gzip)(content, { level: 9 }));
      }
    },
  };
}

/** Names the console's scripts in the page, so that they load beside the first one, which imports them. */
function preloadStart(): Plugin {
  return {
    name: "preload-start",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
        const start = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith("/app/start.tsx"));
        if (start === undefined) throw new Error("app/start.tsx has no chunk");
        const names = new Set([start.fileName]);
        for (const name of names) {
          for (const imported of chunks.find(({ fileName }) => fileName === name)?.imports ?? [])
            if (chunks.some(({ fileName, isEntry }) => fileName === imported && !isEntry))
              names.add(imported);
        }
        const missing = [...names].filter((name) => !html.includes(name));
        return missing.map((name) => ({
          tag: "link",
          injectTo: "head",
          attrs: { rel: "modulepreload", href: `/${name}`, crossorigin: true },
        }));
      },
    },
  };
}

/** Loads the font beside the scripts, not after the styles; and adds its licence to the files, as it demands. */
function preloadFont(): Plugin {
  return {
    name: "preload-font",
    apply: "build",
    async buildStart() {
      const licence = createRequire(import.meta.url).resolve("@fontsource-variable/geist/LICENSE");
      this.emitFile({ type: "asset", fileName: "assets/geist-LICENSE.txt", source: await readFile(licence) });
    },
    transformIndexHtml: {
      order: "post",
      handler: (_html, { bundle = {} }) =>
        Object.keys(bundle)
          .filter((name) => /geist-latin-wght.*[.]woff2$/.test(name))
          .map((name) => ({
            tag: "link",
            injectTo: "head",
            attrs: { rel: "preload", as: "font", type: "font/woff2", href: `/${name}`, crossorigin: true },
          })),
    },
  };
}

export default defineConfig({
  plugins: [react(), preloadStart(), preloadFont(), compressAssets()],
  build: {
    // Source maps would double the size.
    sourcemap: false,
    assetsInlineLimit: 0,
    // Asset names contain a content hash, so browsers cache them forever. The first file has all names: one character less of each
    // hash makes it smaller, and 42 bits tell versions of one file apart.
    rolldownOptions: {
      output: {
        entryFileNames: "assets/[name]-[hash:7].js",
        chunkFileNames: "assets/[name]-[hash:7].js",
        assetFileNames: "assets/[name]-[hash:7][extname]",
        // With what they import, as one file each: the first script, and what every page needs.
        codeSplitting: {
          groups: [
            { name: "begin", test: /\/app\/begin-opened-page\.ts$|preload-helper/, priority: 2 },
            { name: "start", test: /\/app\/start\.tsx$/, priority: 1 },
          ],
        },
      },
    },
  },
  server: { port: 5173, proxy: { "/api": api, "/openapi.json": api, "/docs": api } },
});
