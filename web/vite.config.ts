import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { componentStyles } from "./build/component-styles.ts";
import { compressAssets } from "./build/compress-assets.ts";
import { checkFileGroups, FILE_GROUPS } from "./build/file-groups.ts";
import { fontLicence } from "./build/font-licence.ts";
import { preloadStart } from "./build/preload-start.ts";
import { leanSchemas } from "./build/lean-schemas.ts";

// `npm run dev -w @waymark/web` serves the sources and forwards API requests to a running api.
const api = { target: "http://127.0.0.1:3000", changeOrigin: false };

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    // Preact in place of React, also for the libraries.
    alias: [
      { find: /^react$/, replacement: fileOf("src/app/react.ts") },
      { find: /^react-dom$/, replacement: "preact/compat" },
      { find: /^react-dom\/client$/, replacement: "preact/compat/client" },
      { find: /^react\/jsx(-dev)?-runtime$/, replacement: "preact/jsx-runtime" },
      { find: /^use-sync-external-store\/shim(\/index\.js)?$/, replacement: "preact/compat" },
    ],
  },
  plugins: [
    checkFileGroups(),
    componentStyles(),
    leanSchemas(),
    preloadStart(),
    fontLicence(),
    compressAssets(),
  ],
  // Files name each other relative to themselves, because the path of the console is known only where it is served. The page has
  // absolute addresses, before which the api puts that path.
  experimental: {
    renderBuiltUrl: (file, { hostType }) => (hostType === "html" ? `/${file}` : { relative: true }),
  },
  build: {
    // Source maps would double the size.
    sourcemap: false,
    assetsInlineLimit: 0,
    // Browsers without preloading of modules load the same files a little later.
    modulePreload: { polyfill: false },
    // Asset names contain a content hash, so browsers cache them forever. The first file has all names: one character less of each
    // hash makes it smaller, and 42 bits tell versions of one file apart.
    rolldownOptions: {
      output: {
        entryFileNames: "assets/[name]-[hash:7].js",
        chunkFileNames: "assets/[name]-[hash:7].js",
        assetFileNames: "assets/[name]-[hash:7][extname]",
        codeSplitting: { groups: FILE_GROUPS },
      },
    },
  },
  server: { port: 5173, proxy: { "/api": api, "/openapi.json": api, "/docs": api } },
});
