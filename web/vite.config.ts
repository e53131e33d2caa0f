import { fileURLToPath } from "node:url";
import { defineConfig, type UserConfig } from "vite";
import { componentStyles } from "./build/component-styles.ts";
import { compressAssets } from "./build/compress-assets.ts";
import { fontLicence } from "./build/font-licence.ts";
import { planFiles } from "./build/plan-files.ts";
import { preloadStart } from "./build/preload-start.ts";
import { leanSchemas } from "./build/lean-schemas.ts";

// `npm run dev -w @waymark/web` serves the sources and forwards API requests to a running api.
const api = { target: "http://127.0.0.1:3000", changeOrigin: false };

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Everything but which modules share a file. */
const config = {
  root: fileOf("."),
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
  plugins: [componentStyles(), leanSchemas()],
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
  },
  server: { port: 5173, proxy: { "/api": api, "/openapi.json": api, "/docs": api } },
} satisfies UserConfig;

export default defineConfig(async ({ command }): Promise<UserConfig> => {
  if (command !== "build") return config;
  const files = await planFiles(config);
  return {
    ...config,
    plugins: [...config.plugins, preloadStart(), fontLicence(), compressAssets()],
    build: {
      ...config.build,
      rolldownOptions: {
        output: {
          // Asset names contain a content hash, so browsers cache them forever. The first file has all names: one character less of each
          // hash makes it smaller, and 42 bits tell versions of one file apart.
          entryFileNames: "assets/[name]-[hash:7].js",
          chunkFileNames: "assets/[name]-[hash:7].js",
          assetFileNames: "assets/[name]-[hash:7][extname]",
          // The files are joined from what the bundler makes by itself, so each has what its modules import, or names it.
          codeSplitting: {
            groups: [{ name: (id: string) => files.get(id) ?? null }],
            includeDependenciesRecursively: false,
          },
        },
      },
    },
  };
});
