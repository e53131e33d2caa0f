// Which folder may import which. `npm run check` enforces it; test/repository/dependency-rules.test.ts plants a
// violation, because the tool reports "no violations" when it can't parse a single module.
const FEATURE = "^(services/[^/]+|packages/shared|packages/server|web|cli)/src/([^/]+)/";

export default {
  forbidden: [
    {
      name: "no-circular",
      comment: "Types may refer to each other: nothing of them is left at run time.",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    { name: "not-to-unresolvable", severity: "error", from: {}, to: { couldNotResolve: true } },
    {
      name: "apps-stay-apart",
      comment: "Deployables talk over HTTP or the queue, never by import.",
      severity: "error",
      from: { path: "^(services/[^/]+|cli|web)/" },
      to: { path: "^(services|cli|web)/", pathNot: "^$1/" },
    },
    {
      name: "packages-point-down",
      comment: "Libraries do not know their callers. Their tests use the test support.",
      severity: "error",
      from: { path: "^packages/", pathNot: "[.]test[.]ts$" },
      to: { path: "^(services|cli|web|deploy|test|bench)/" },
    },
    {
      name: "openapi-is-pure",
      comment: "Texts and values only: files are the caller's.",
      severity: "error",
      from: { path: "^packages/openapi/src/" },
      to: { pathNot: "^(packages/openapi/src/|node_modules/(js-)?yaml/)" },
    },
    {
      name: "contract-diff-is-pure",
      comment: "Texts in, verdicts out: files are the caller's.",
      severity: "error",
      from: { path: "^packages/contract-diff/src/", pathNot: "[.]test[.]ts$|/test-support/" },
      to: { pathNot: "^(packages/(contract-diff|openapi)/src/|node_modules/@noble/)" },
    },
    {
      name: "journeys-is-pure",
      comment: "No I/O and no builtins, so that web, cli and worker can share it.",
      severity: "error",
      from: { path: "^packages/journeys/src/" },
      to: {
        pathNot: [
          "^(packages/((journeys|openapi)/src|journeys/schema)/|node_modules/(zod|yaml|ajv|json-p3|semver|ajv-formats|[^/]*jsonpath[^/]*|xpath|fontoxpath|@xmldom|@noble)/)",
        ],
      },
    },
    {
      name: "journeys-folders-go-one-way",
      comment: "Also for types: a reader can begin with the lowest folder.",
      severity: "error",
      scope: "folder",
      from: { path: "^packages/journeys/src/" },
      to: { circular: true },
    },
    {
      name: "command-folders-go-one-way",
      comment:
        "Also for types: lib, http, api, framework (for every command), then ci, report, lint, openapi and spool, then commands, then app.",
      severity: "error",
      scope: "folder",
      from: { path: "^cli/src/" },
      to: { circular: true },
    },
    {
      name: "command-files-have-folders",
      comment: "Only main.ts is beside the folders: it imports them, and none imports it.",
      severity: "error",
      from: { path: "^cli/src/.+/" },
      to: { path: "^cli/src/[^/]+[.]ts$" },
    },
    {
      name: "journey-authoring-is-pure",
      comment: "Text in, text out: files are the caller's.",
      severity: "error",
      from: { path: "^packages/journey-authoring/src/" },
      to: { pathNot: "^(packages/(journey-authoring|journeys|openapi)/src/|node_modules/(zod|yaml|re2js)/)" },
    },
    {
      name: "journey-sandbox-is-thin",
      comment: "The evaluator and what says that an evaluation is cheap.",
      severity: "error",
      from: { path: "^packages/journey-sandbox/src/" },
      to: {
        dependencyTypesNot: ["core"],
        pathNot:
          "^packages/(journey-sandbox/src/|journeys/src/(evaluation/|expressions/(value-size|engine-error)[.]ts$))",
      },
    },
    {
      name: "journey-transport-is-thin",
      comment:
        "The contract of a transport, and the words for failures that the command's own requests have.",
      severity: "error",
      from: { path: "^packages/journey-transport/src/" },
      to: {
        dependencyTypesNot: ["core"],
        pathNot:
          "^packages/(journey-transport/src/|journeys/src/run/transport[.]ts$|shared/src/lib/(network-failures|trusted-certificates)[.]ts$)",
      },
    },
    {
      name: "services-write-no-journeys",
      comment:
        "Creating and changing journeys is for the command and the console: it is not in the services' image.",
      severity: "error",
      from: { path: "^(services|packages/shared|packages/server)/" },
      to: { path: "^packages/journey-authoring/" },
    },
    {
      name: "features-stay-apart",
      comment:
        "Compose features in app/; share through packages. Schemas and operations may build upon one another. Starting a run composes journeys and environments, and reading the coverage composes journeys, scans and services, for the api and the worker. In the command, http, api and framework are below its features, and its lint reads descriptions as its scan does.",
      severity: "error",
      from: {
        path: FEATURE,
        pathNot:
          "/src/(app|commands|test-support|journey-runs/start|journey-coverage/read|operations)/|/(schema|operations)[.]ts$",
      },
      to: {
        path: "^$1/src/[^/]+/",
        pathNot: [
          "^$1/src/($2|lib|db|queue|errors|encryption|operations)/",
          "^cli/src/(http|api|framework|openapi)/",
        ],
      },
    },
    {
      name: "server-is-for-services",
      comment:
        "Postgres, the queue and what needs them: the command, the console and the libraries do without.",
      severity: "error",
      from: { path: "^(cli|web|packages)/", pathNot: "^packages/server/|[.]test[.]ts$" },
      to: { path: "^packages/server/" },
    },
    {
      name: "shared-is-pure",
      comment: "What all agree on needs no machine. Only the system's certificates are read from it.",
      severity: "error",
      from: {
        path: "^packages/shared/src/",
        pathNot: "/lib/trusted-certificates[.]ts$|[.]test[.]ts$",
      },
      to: { pathNot: "^(packages/(shared|journeys|openapi)/src/|node_modules/zod/)" },
    },
    {
      name: "browser-sees-schemas-only",
      comment:
        "The console may also import addresses, limits, and rules that must be the same on both sides: what breaks clients, what was compared, what a snooze covers, what is invisible, how services are named, what a scope allows.",
      severity: "error",
      from: { path: "^web/" },
      to: {
        path: "^packages/shared/",
        pathNot: [
          "/(schema|limits|api-keys/scope-allows|scans/breaking-changes|scans/compared|services/snoozes/item-event|lib/(invisible|look-alike|service-name))[.]ts$",
          "^packages/shared/src/(all-operations|.+/addresses|operations/(operation|request))[.]ts$",
        ],
      },
    },
    {
      name: "browser-loads-no-operations",
      comment:
        "Only their types: texts and schemas of requests would be a tenth of the console's first script.",
      severity: "error",
      from: { path: "^web/" },
      to: {
        path: "^packages/shared/src/(all-operations|operations/operation)[.]ts$",
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "addresses-are-leaves",
      comment: "A client that imports an address must load nothing with it.",
      severity: "error",
      from: { path: "^packages/shared/src/.+/addresses[.]ts$" },
      to: {},
    },
    {
      name: "schemas-are-leaves",
      comment: "schema.ts is what the browser loads; the rules of a text are functions of their own.",
      severity: "error",
      from: { path: "^packages/shared/src/.+/schema[.]ts$" },
      to: {
        pathNot: [
          "^packages/shared/src/.+/(schema|limits)[.]ts$",
          "^packages/shared/src/lib/(service-name|carries-credentials|invisible)[.]ts$",
          "node_modules/zod/",
        ],
      },
    },
    {
      name: "operations-are-declarations",
      comment:
        "The api, the command, the console and the tests derive from them: they have schemas and no I/O.",
      severity: "error",
      from: { path: "^packages/shared/src/(.+/operations[.]ts$|operations/)" },
      to: {
        pathNot: [
          "^packages/shared/src/(.+/(addresses|schema|limits|operations|source/headers|item-page-query)[.]ts$|operations/)",
          "^packages/shared/src/lib/(query-fields|redact-api-keys)[.]ts$",
          "^packages/journeys/src/(result/result-model|report/formats)[.]ts$",
          "node_modules/zod/",
        ],
      },
    },
    {
      name: "sql-only-in-queries",
      severity: "error",
      from: { pathNot: ["[/.]queries[.]ts$", "^packages/server/src/db/", "^(test|bench|scripts/postgres)/"] },
      to: { path: "node_modules/(slonik|@slonik|pg)/" },
    },
    {
      name: "http-only-in-api",
      severity: "error",
      from: { path: "^(packages|services/worker|cli)/" },
      to: { path: "node_modules/(fastify|@fastify)/" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    // The version number in cli/package.json is everybody's. Tests, and what runs by itself for them, may use what they need, and `using` declarations, which the parser does not know.
    exclude: {
      path: "^(cli|web|packages/[^/]+)/dist/|[.]test[.]ts$|^test/(deploy/fleet|browser/screenshots)/|^cli/package[.]json$",
    },
    parser: "swc",
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default"],
      mainFields: ["module", "main"],
    },
  },
};
