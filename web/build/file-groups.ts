import type { Plugin } from "vite";

/**
 * Groups of modules, each named by a part of its path. A group becomes one file, together with the modules that its modules import.
 * Browsers load six files at a time, so many small files cost more than their bytes: split by imports alone, a page has 78 to 113
 * files instead of 8 to 16 (docs/adr/0037-the-first-screen.md). A module belongs to the first group that names or imports it.
 */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  /** The first script, without schemas, styles and components. */
  begin: ["/app/begin-opened-page.ts", "/lib/time-formats.ts", "preload-helper"],
  /** Modules that most pages need. */
  start: [
    "/app/start.tsx",
    ...["api", "breadcrumbs", "copy-text-button", "count-of", "export-buttons", "facts", "filters"].map(
      inLib,
    ),
    ...["by-whom", "is-held", "lacks-permission", "lazy-dialog", "load-all", "load-more"].map(inLib),
    ...["matches-text", "operation"].map(inLib),
    ...["read-query", "request-error", "responsive-table", "select", "severities", "severity"].map(inLib),
    ...["sort-header", "sorting", "time", "use-choices", "use-density", "use-key-names"].map(inLib),
    ...["use-printing", "use-service-runs", "use-url-state", "whole-percent"].map(inLib),
    ...["endpoint/endpoint-address", "endpoint/endpoint-button", "endpoint/use-endpoint-drawer"].map(inLib),
    ...["Badge", "Code", "List", "NativeSelect", "Paper", "Tabs", "TextInput"].map(inMantine),
    // Fields without a list use these parts of lists to choose from.
    "/get-parsed-combobox-data.",
    // So do controls whose choices are side by side.
    "/to-int.",
    "/use-callback-ref.mjs",
    "/use-merged-ref.mjs",
    // The first script has those that it uses. Each of the others would be a file of 100 bytes.
    "/addresses.ts",
    "/useInfiniteQuery.",
    "/use-debounced-value.",
  ],
  /** Modules that the overview shares with pages of services. In the files of long tables or endpoints, it would load those too. */
  services: [
    "/shared/src/services/schema.ts",
    "/shared/src/services/labels/schema.ts",
    "/shared/src/journey-coverage/schema.ts",
    ...["describe-comparison", "levels"].map((name) => inLib(`verdicts/${name}`)),
    // Each of these would be a file of less than a kilobyte.
    ...["describe-gates", "label-filter", "list-words", "open-findings", "owner-name", "popover-menu"].map(
      inLib,
    ),
    ...["source-line", "source-parts", "use-service"].map(inLib),
    "/shared/src/saved-views/limits.ts",
    "/shared/src/scans/comments/schema.ts",
    "/shared/src/scans/run-comments/limits.ts",
  ],
  /** The filter by owner, with what reads teams. */
  owners: [inLib("owner-filter")],
  /** Lists to choose from, and dialogs. No first screen needs them. */
  controls: [
    ...["confirm-dialog", "form-dialog", "select-list", "use-return-focus"].map(inLib),
    inMantine("Modal"),
  ],
  /** Modules that build mode shares with other pages of journeys. In its own files, those pages would load all of it. */
  journeys: [
    ...[
      "use-journeys",
      "run-status",
      "run/criterion-words",
      "run/use-journey-run",
      "run/describe-duration",
    ].map(inJourneys),
    ...["run/describe-status", "run/show-value", "run/why-failed", "start/run-button"].map(inJourneys),
    "/shared/src/journeys/schema.ts",
    "/openapi/src/json.ts",
    "/openapi/src/pointer.ts",
  ],
  /** Modules that read YAML with its positions. */
  yaml: ["/journeys/src/document/parse-text.ts", "/journeys/src/document/positions.ts"],
  /** Build mode, and its view of the steps. */
  build: ["build/build-page", "build/text/names"].map(inJourneys),
  /** Modules that pages with long tables share. */
  tables: [
    ...["virtual-table", "use-endpoint-rows", "use-creator-key"].map(inLib),
    "/scans/use-scan-run.ts",
    "/scans/describe-finding.ts",
    "/shared/src/scans/compared.ts",
  ],
  /** The difference of two texts: of a changed part, or of a journey. */
  differences: [inLib("line-diff")],
  /** Verdicts: on a run's changes, and in the history of an endpoint. */
  verdicts: ["verdicts/verdict-item", "endpoint/marked-text"].map(inLib),
  /** An endpoint and a description: pages, and the drawer beside lists, show the same parts. */
  contract: ["endpoint-details", "operation-parts", "no-description"].map((name) =>
    inLib(`endpoint/${name}`),
  ),
};

function inLib(name: string): string {
  return `/web/src/lib/${name}.`;
}

function inJourneys(name: string): string {
  return `/web/src/journeys/${name}.`;
}

function inMantine(name: string): string {
  return `/components/${name}/`;
}

/**
 * Features with modules that several of its pages and dialogs share. What no group has of these is one file for each feature: with a
 * file for each set of pages that share something, a change loads 20 scripts instead of 15, and its data waits for them.
 */
const SHARING_FEATURES = ["scans", "services"];

/** The groups for the bundler. */
export const FILE_GROUPS = [
  ...Object.entries(GROUPS).map(([name, parts], index, { length }) => ({
    name,
    test: (id: string) => parts.some((part) => id.includes(part)),
    priority: length - index,
  })),
  ...SHARING_FEATURES.map((feature) => ({
    name: `${feature}-parts`,
    test: (id: string) => id.includes(`/web/src/${feature}/`),
    minShareCount: 2,
    priority: 0,
  })),
];

/** Fails the build if a part of a path names no module: a module that is renamed would become a file of its own, unnoticed. */
export function checkFileGroups(): Plugin {
  return {
    name: "check-file-groups",
    apply: "build",
    generateBundle() {
      const ids = [...this.getModuleIds()];
      const unused = Object.values(GROUPS)
        .flat()
        .filter((part) => !ids.some((id) => id.includes(part)));
      if (unused.length > 0)
        this.error(`no module has ${unused.join(", ")} in its path: change web/build/file-groups.ts`);
    },
  };
}
