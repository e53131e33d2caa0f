import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { componentStyles } from "./build/component-styles.ts";
import { compressAssets } from "./build/compress-assets.ts";
import { fontLicence } from "./build/font-licence.ts";
import { preloadStart } from "./build/preload-start.ts";

// `npm run dev -w @waymark/web` serves the sources and forwards API requests to a running api.
const api = { target: "http://127.0.0.1:3000", changeOrigin: false };

/**
 * Modules that most pages need, in one file: many small files cost more than their bytes, because browsers load six at
 * a time.
 */
const START = new RegExp(
  [
    "/app/start\\.tsx$",
    "/lib/(api|breadcrumbs|copy-text-button|count-of|export-buttons|facts|filters|is-held|lacks-permission|lazy-dialog|load-all|matches-text|operation)\\.",
    "/lib/(request-error|responsive-table|select|severit(?:ies|y)|sort-header|time|sorting|use-choices|use-density|use-key-names|use-printing|use-service-runs|use-url-state)\\.",
    "/components/(Badge|Code|List|Paper|Tabs|TextInput)/\\w+\\.mjs$",
    // The parts of lists to choose from that fields without such a list use.
    "/get-parsed-combobox-data\\.",
    "/(useInfiniteQuery|use-debounced-value)\\.",
  ].join("|"),
);
/** Lists to choose from, and dialogs. No first screen needs them. */
const CONTROLS =
  /\/lib\/(confirm-dialog|form-dialog|select-list|use-return-focus)\.tsx?$|\/components\/Modal\/\w+\.mjs$/;

/**
 * Modules that build mode shares with other pages of journeys. In the files of build mode, those pages would load all
 * of it.
 */
const JOURNEYS = new RegExp(
  [
    "/journeys/(use-journeys|run-status|run/criterion-words|run/use-journey-run|run/describe-duration|run/describe-status|run/show-value|run/why-failed|start/run-button)\\.tsx?$",
    "/shared/src/journeys/schema\\.ts$|/openapi/src/(json|pointer)\\.ts$",
    "/components/NativeSelect/\\w+\\.mjs$",
  ].join("|"),
);
/** Modules that pages with long tables share. */
const TABLES =
  /\/lib\/(virtual-table|use-endpoint-rows|use-creator-key)\.tsx?$|\/scans\/(use-scan-run|describe-finding)\.ts$/;
/** Modules that read YAML with its positions. */
const YAML = /\/journeys\/src\/document\/(parse-text|positions)\.ts$/;
/** Build mode, and its view of the steps. */
const BUILD = /\/journeys\/build\/(build-page|text\/names)\.tsx?$/;

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
  plugins: [componentStyles(), preloadStart(), fontLicence(), compressAssets()],
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
        // Each group becomes one file, together with the modules that it imports.
        codeSplitting: {
          groups: [
            {
              name: "begin",
              test: /\/app\/begin-opened-page\.ts$|\/lib\/time-formats\.ts$|preload-helper/,
              priority: 3,
            },
            { name: "start", test: START, priority: 2 },
            { name: "controls", test: CONTROLS, priority: 1 },
            { name: "journeys", test: JOURNEYS, priority: 1 },
            { name: "yaml", test: YAML, priority: 1 },
            { name: "build", test: BUILD, priority: 1 },
            { name: "tables", test: TABLES, priority: 1 },
          ],
        },
      },
    },
  },
  server: { port: 5173, proxy: { "/api": api, "/openapi.json": api, "/docs": api } },
});
