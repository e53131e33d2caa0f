import { may, mayOnSomeService, type PlainResource } from "./rule.ts";
import {
  change,
  type DecidedRequest,
  get,
  listsOfServices,
  needs,
  NO_ARTIFACT,
  ofService,
  otherThings,
  readsSomeJourney,
  scanOf,
} from "./requests-of-services.ts";
import { requestsOfTeams } from "./requests-of-teams.ts";
import { type DecisionOrganization, LETTERS, type Letter, scheduleName } from "./organization.ts";

const anything = () => true;

const IDENTITY_PROVIDER = { displayName: "ID", clientId: "waymark", emailDomains: ["example.com"] };
/** Runs and schedules belong to both. */
const OF_RUNS = { listOf: ["workflow", "environment"] } as const;

const TRUST_POLICY = {
  name: "builds",
  issuer: "https://token.actions.githubusercontent.com",
  conditions: { repository_owner_id: "65" },
  scopes: ["scans:create"],
};

/** Requests of every route, on each of the world's things and on some that don't exist. */
export function decidedRequests(world: DecisionOrganization, organizationId: string): DecidedRequest[] {
  return [
    ...LETTERS.flatMap((letter) => [
      ...ofService(world, letter),
      ...ofDocuments(world, letter),
      ...ofEnvironment(world, letter),
      ...ofKey(world, letter, organizationId),
    ]),
    ...ofPairs(world),
    ...listsOfServices(world),
    ...others(organizationId),
  ];
}

function ofDocuments(world: DecisionOrganization, letter: Letter): DecidedRequest[] {
  const { journeyId, descriptionId, serviceId, environmentId } = world.things[letter];
  const { name, ...other } = otherThings(world, letter);
  const journey = { workflow: journeyId };
  const description = { workflow: descriptionId };
  const at = `/api/journeys/${journeyId}`;
  const read = needs(["journeys:read", journey]);
  const write = needs(["journeys:write", journey]);
  const isDestructive = true;
  const changes = (path: string) => ({
    dryRun: true,
    changes: [{ path, text: "info: {}\n", baseVersion: 2 }],
  });
  return [
    get("getJourney", at, read),
    get("getJourney", `/api/journeys/${descriptionId}`, needs(["journeys:read", description])),
    get("listJourneyVersions", `${at}/versions`, read),
    get("getJourneyVersion", `${at}/versions/1`, read),
    get("getJourneyComposition", `${at}/composition`, read),
    change("checkJourney", ["POST", `${at}/check`], read),
    change(
      "checkJourney",
      ["POST", `${at}/check`],
      needs(["journeys:read", journey], ["journeys:read", { listOf: ["workflow"] }]),
      {
        body: { texts: [{ path: `jny${letter}.journey.yaml`, text: "arazzo: 1.1.0\n" }] },
      },
    ),
    change(
      "checkJourney",
      ["POST", `${at}/check`],
      needs(["journeys:read", journey], ["environments:read", { environment: other.environmentId }]),
      { body: { environmentId: other.environmentId } },
    ),
    change("restoreJourney", ["POST", `${at}/restore`], write, { body: { version: 1, baseVersion: 1 } }),
    change("archiveJourney", ["DELETE", at], write),
    // The description is used by journeys.
    change(
      "archiveJourney",
      ["DELETE", `/api/journeys/${descriptionId}`],
      needs(["journeys:write", description]),
    ),
    change(
      "createJourneyChangeset",
      ["POST", "/api/journey-changesets"],
      needs(["journeys:write", description]),
      {
        body: changes(`dsc${letter}.openapi.yaml`),
      },
    ),
    change(
      "bindJourney",
      ["PUT", `/api/journeys/${descriptionId}/binding`],
      needs(["journeys:write", description], ["services:read", { service: { id: other.serviceId, name } }]),
      { body: { serviceId: other.serviceId, pathPrefix: "" }, isDestructive },
    ),
    // Refused after the decision: a journey has no service.
    change(
      "bindJourney",
      ["PUT", `${at}/binding`],
      needs(
        ["journeys:write", journey],
        ["services:read", { service: { id: serviceId, name: `svc${letter}` } }],
      ),
      { body: { serviceId, pathPrefix: "" } },
    ),
    change("unbindJourney", ["DELETE", `${at}/binding`], write),
    get(
      "listJourneyRuns",
      `/api/journey-runs?journeyId=${journeyId}`,
      needs(["journeys:read", { ...journey, ...OF_RUNS }]),
    ),
    get(
      "getJourneyStatistics",
      `/api/journey-statistics?journeyId=${journeyId}`,
      needs(["journeys:read", { ...journey, ...OF_RUNS }]),
    ),
    get(
      "listJourneySchedules",
      `/api/journey-schedules?journeyId=${journeyId.toUpperCase()}`,
      needs(["journeys:read", { ...journey, ...OF_RUNS }]),
    ),
    get(
      "getJourneyCoverage",
      `/api/journey-coverage?environmentId=${environmentId}`,
      (scopes) =>
        (readsSomeJourney(scopes) || may(scopes, "journeys:read", { environment: environmentId })) &&
        mayOnSomeService(scopes, "services:read") &&
        mayOnSomeService(scopes, "endpoints:read"),
    ),
  ];
}

function ofEnvironment({ things }: DecisionOrganization, letter: Letter): DecidedRequest[] {
  const { environmentId } = things[letter];
  const environment = { environment: environmentId };
  const at = `/api/environments/${environmentId}`;
  const read = needs(["environments:read", environment]);
  const write = needs(["environments:write", environment]);
  const secrets = needs(["secrets:write", environment]);
  const isDestructive = true;
  return [
    get("getEnvironment", at, read),
    get(
      "listEnvironments",
      `/api/environments?name=env${letter}`,
      needs(["environments:read", { ...environment, listOf: ["environment"] }]),
    ),
    get("listEnvironmentSecrets", `${at}/secrets`, read),
    change("replaceEnvironment", ["PUT", at], write, {
      body: { name: "x" },
      headers: { "if-match": '"999"' },
    }),
    // Schedules use it.
    change("deleteEnvironment", ["DELETE", at], write),
    change("setEnvironmentSecret", ["PUT", `${at}/secrets/another`], secrets, {
      body: { value: "a-value-of-some-length", hosts: ["api.example"] },
    }),
    change("deleteEnvironmentSecret", ["DELETE", `${at}/secrets/sec${letter}`], secrets, { isDestructive }),
    get(
      "listJourneyRuns",
      `/api/journey-runs?environmentId=${environmentId}`,
      needs(["journeys:read", { ...environment, ...OF_RUNS }]),
    ),
    get(
      "listJourneySchedules",
      `/api/journey-schedules?environmentId=${environmentId}`,
      needs(["journeys:read", { ...environment, ...OF_RUNS }]),
    ),
  ];
}

function ofKey({ things }: DecisionOrganization, letter: Letter, organizationId: string): DecidedRequest[] {
  const { apiKeyId } = things[letter];
  const apiKey = { apiKey: { id: apiKeyId } };
  const at = `/api/api-keys/${apiKeyId}`;
  const isDestructive = true;
  return [
    get("getApiKey", `${at}?organizationId=${organizationId}`, needs(["api-keys:read", apiKey])),
    get("listAuditEvents", `/api/audit-events?apiKeyId=${apiKeyId}`, needs(["audit:read", apiKey])),
    change("revokeApiKey", ["POST", `${at}/revoke`], needs(["api-keys:revoke", apiKey]), { isDestructive }),
    change("revokeApiKeys", ["POST", "/api/api-key-revocations"], needs(["api-keys:revoke", apiKey]), {
      isDestructive,
      body: { apiKeyIds: [apiKeyId] },
    }),
    change("disableApiKey", ["POST", `${at}/disable`], needs(["api-keys:revoke", apiKey]), { isDestructive }),
    change("enableApiKey", ["POST", `${at}/enable`], needs(["api-keys:create", apiKey]), { isDestructive }),
    change(
      "rotateApiKey",
      ["POST", `${at}/rotate`],
      needs(["api-keys:create", apiKey], ["api-keys:revoke", apiKey]),
      { isDestructive, body: { graceSeconds: 60 } },
    ),
  ];
}

function ofPairs({ things, pairs }: DecisionOrganization): DecidedRequest[] {
  return pairs.flatMap(({ journey, environment, runId, artifact, scheduleId }) => {
    const { journeyId } = things[journey];
    const { environmentId } = things[environment];
    const both = { workflow: journeyId, environment: environmentId };
    const read = needs(["journeys:read", both]);
    const list = needs(["journeys:read", { ...both, ...OF_RUNS }]);
    const run = `/api/journey-runs/${runId}`;
    const schedule = `/api/journey-schedules/${scheduleId}`;
    const release = `/api/environments/${environmentId}/releases/${journeyId}`;
    const start = { journeyId, environmentId };
    const name = scheduleName(journey, environment);
    const isDestructive = true;
    const filter = `journeyId=${journeyId}&environmentId=${environmentId}`;
    const settings = { ...start, name: scheduleName("alder", "alder"), cron: "0 4 1 1 *" };
    return [
      ...["", "/steps", "/result", "/reports/junit", "/steps/0"].map((part, n) =>
        get(
          [
            "getJourneyRun",
            "listJourneyRunSteps",
            "getJourneyRunResult",
            "getJourneyRunReport",
            "getJourneyRunStep",
          ][n] ?? "",
          run + part,
          read,
        ),
      ),
      get("listJourneyRunLinks", `${run}/links`, read),
      // Refused after the decision: the run has not ended, and there is no such link.
      change(
        "createJourneyRunLink",
        ["POST", `${run}/links`],
        needs(["journeys:read", both], ["journeys:share", both]),
      ),
      change("deleteJourneyRunLink", ["DELETE", `${run}/links/${runId}`], needs(["journeys:share", both])),
      get("getJourneyArtifact", `/api/journey-artifacts/${artifact}`, read),
      change("cancelJourneyRun", ["POST", `${run}/cancel`], needs(["journeys:run", both])),
      // Refused after the decision: the environment is protected, and what was released has changed.
      change("rerunJourney", ["POST", `${run}/rerun`], needs(["journeys:run", both])),
      change("startJourneyRun", ["POST", "/api/journey-runs"], needs(["journeys:run", both]), {
        body: start,
      }),
      get("listJourneyRuns", `/api/journey-runs?${filter}`, list),
      get("listJourneySchedules", `/api/journey-schedules?${filter}`, list),
      get("listJourneySchedules", `/api/journey-schedules?name=${name}`, list),
      get("getJourneySchedule", schedule, read),
      get("listJourneyScheduleTicks", `${schedule}/ticks`, read),
      change(
        "createJourneySchedule",
        ["POST", "/api/journey-schedules"],
        needs(["journeys:schedule", both]),
        { body: settings },
      ),
      change("replaceJourneySchedule", ["PUT", schedule], needs(["journeys:schedule", both]), {
        body: settings,
      }),
      change("pauseJourneySchedule", ["POST", `${schedule}/pause`], needs(["journeys:schedule", both])),
      change("resumeJourneySchedule", ["POST", `${schedule}/resume`], needs(["journeys:schedule", both])),
      change("deleteJourneySchedule", ["DELETE", schedule], needs(["journeys:schedule", both]), {
        isDestructive,
      }),
      get("previewJourneyRelease", release, ofRelease("environments:read", both)),
      change("releaseJourney", ["PUT", release], ofRelease("environments:write", both), {
        body: { version: 1, expectArtifact: NO_ARTIFACT },
      }),
      change(
        "deleteJourneyRelease",
        ["DELETE", release],
        withinRelease("environments:write", { environment: environmentId }, both),
        {
          isDestructive,
        },
      ),
    ];
  });
}

type Both = { workflow: string; environment: string };

/** Each permission is needed for its own resource; a scope that names that one may be limited to the other as well. */
function ofRelease(permission: string, both: Both): DecidedRequest["isAllowed"] {
  const first = withinRelease(permission, { environment: both.environment }, both);
  const second = withinRelease("journeys:read", { workflow: both.workflow }, both);
  return (scopes) => first(scopes) && second(scopes);
}

function withinRelease(permission: string, own: PlainResource, both: Both): DecidedRequest["isAllowed"] {
  return (scopes) =>
    scopes.some(
      (scope) =>
        may([scope], permission, own) ||
        (typeof (own.environment === undefined ? scope.workflowId : scope.environmentId) === "string" &&
          may([scope], permission, both)),
    );
}

function others(organizationId: string): DecidedRequest[] {
  const none = crypto.randomUUID();
  const keys = { apiKey: {} };
  const isDestructive = true;
  return [
    get("listJourneys", "/api/journeys", needs(["journeys:read", { listOf: ["workflow"] }])),
    get(
      "listJourneys",
      "/api/journeys?path=jnybirch.journey.yaml",
      needs(["journeys:read", { listOf: ["workflow"] }]),
    ),
    get("listJourneyRuns", "/api/journey-runs", needs(["journeys:read", OF_RUNS])),
    get("listJourneySchedules", "/api/journey-schedules", needs(["journeys:read", OF_RUNS])),
    get("listJourneySchedules", "/api/journey-schedules?name=none", needs(["journeys:read", OF_RUNS])),
    get("listEnvironments", "/api/environments", needs(["environments:read", { listOf: ["environment"] }])),
    get(
      "listEnvironments",
      "/api/environments?name=none",
      needs(["environments:read", { listOf: ["environment"] }]),
    ),
    get("listApiKeys", `/api/api-keys?organizationId=${organizationId}`, needs(["api-keys:read", keys])),
    get("listAuditEvents", "/api/audit-events?limit=1", needs(["audit:read", {}])),
    get("listTrustPolicies", "/api/trust-policies", needs(["trust:read", {}])),
    get("getTrustPolicy", `/api/trust-policies/${none}`, needs(["trust:read", {}])),
    change("createTrustPolicy", ["POST", "/api/trust-policies"], needs(["trust:write", {}]), {
      isDestructive: true,
      body: TRUST_POLICY,
    }),
    change("replaceTrustPolicy", ["PUT", `/api/trust-policies/${none}`], needs(["trust:write", {}]), {
      body: TRUST_POLICY,
      headers: { "if-match": '"1"' },
    }),
    change("deleteTrustPolicy", ["DELETE", `/api/trust-policies/${none}`], needs(["trust:write", {}])),
    get("listPrincipals", "/api/principals", needs(["principals:read", {}])),
    get("getPrincipal", `/api/principals/${none}`, needs(["principals:read", {}])),
    change("createServiceAccount", ["POST", "/api/principals"], needs(["principals:manage", {}]), {
      isDestructive,
      body: { type: "service_account", displayName: "x" },
    }),
    change("renamePrincipal", ["PATCH", `/api/principals/${none}`], needs(["principals:manage", {}]), {
      body: { displayName: "x" },
    }),
    change("disablePrincipal", ["POST", `/api/principals/${none}/disable`], needs(["principals:manage", {}])),
    change("enablePrincipal", ["POST", `/api/principals/${none}/enable`], needs(["principals:manage", {}])),
    get("listInvitations", "/api/invitations", needs(["principals:read", {}])),
    change("createInvitation", ["POST", "/api/invitations"], needs(["principals:manage", {}]), {
      body: { email: "decided@example.com", roles: [{ role: "unknown" }] },
    }),
    change("deleteInvitation", ["DELETE", `/api/invitations/${none}`], needs(["principals:manage", {}])),
    get("listIdentityProviders", "/api/identity-providers", needs(["principals:read", {}])),
    change("createIdentityProvider", ["POST", "/api/identity-providers"], needs(["*", {}]), {
      body: { issuer: "https://127.0.0.1:1", ...IDENTITY_PROVIDER },
    }),
    change("updateIdentityProvider", ["PUT", `/api/identity-providers/${none}`], needs(["*", {}]), {
      body: IDENTITY_PROVIDER,
    }),
    change("deleteIdentityProvider", ["DELETE", `/api/identity-providers/${none}`], needs(["*", {}])),
    get("listRoles", "/api/roles", needs(["principals:read", {}])),
    change("setRole", ["PUT", "/api/roles/decided"], needs(["principals:manage", {}]), {
      isDestructive,
      body: { permissions: ["unknown:thing"] },
    }),
    change("deleteRole", ["DELETE", "/api/roles/none"], needs(["principals:manage", {}])),
    change("grantRole", ["POST", `/api/principals/${none}/role-grants`], needs(["principals:manage", {}]), {
      body: { role: "viewer" },
    }),
    change(
      "revokeRole",
      ["DELETE", `/api/principals/${none}/role-grants/${none}`],
      needs(["principals:manage", {}]),
    ),
    ...requestsOfTeams(none),
    get("getLimits", "/api/limits", anything),
    get("getSeverityPolicy", "/api/severity-policy", anything),
    change("replaceSeverityPolicy", ["PUT", "/api/severity-policy"], needs(["severities:manage", {}]), {
      body: { rules: [] },
    }),
    get("getService", `/api/services/${none}`, needs(["services:read", {}])),
    get("getScanRun", `/api/scan-runs/${none}`, needs(["services:read", {}])),
    get("getJourney", `/api/journeys/${none}`, needs(["journeys:read", {}])),
    get("getJourneyRun", `/api/journey-runs/${none}`, needs(["journeys:read", {}])),
    get("getEnvironment", `/api/environments/${none}`, needs(["environments:read", {}])),
    change(
      "createEnvironment",
      ["POST", "/api/environments"],
      needs(["environments:write", { listOf: ["environment"] }]),
      {
        body: { name: "envalder" },
      },
    ),
    change("createApiKey", ["POST", "/api/api-keys"], needs(["api-keys:create", keys]), {
      isDestructive,
      body: { name: "x", ownerPrincipalType: "user", scopes: ["services:read"] },
    }),
    change("createJourneyChangeset", ["POST", "/api/journey-changesets"], needs(["journeys:write", {}]), {
      body: {
        dryRun: true,
        changes: [{ path: "new.openapi.yaml", text: "openapi: 3.1.0\n", baseVersion: null }],
      },
    }),
    change(
      "ingestScan",
      ["POST", "/api/scans/ingest"],
      needs(
        ["scans:create", { service: { name: "svcnew" } }],
        ["services:create", { service: { name: "svcnew" } }],
        ["endpoints:write", { service: { name: "svcnew" } }],
      ),
      { isDestructive, body: scanOf("svcnew") },
    ),
    // The result says what it is of: it is read before the decision.
    change("uploadJourneyResult", ["POST", "/api/journey-results"], anything, { body: { result: {} } }),
  ];
}
