import type { ConsolePage } from "@waymark/shared/console/schema.ts";

/** The opened page, as the address and the session determine it. */
export interface Opened {
  page: ConsolePage;
  pathname: string;
  search: string;
  /** The text of the session's response. Searching it is enough, and keeps the schemas out of the first script. */
  session: string;
}

/** A call of the API, and the calls that its response leads to. */
export interface FirstCall {
  path: string;
  following?: (response: string) => readonly FirstCall[];
}

const toCall = (path: string): FirstCall => ({ path });

/**
 * Returns the calls that a page starts with, besides the session. They are sent as soon as they are known, with the
 * same paths as the calls of the page itself, which gets the responses.
 */
export function firstCallsOf(opened: Opened): readonly FirstCall[] {
  const { page, pathname, search, session } = opened;
  const [, , id = ""] = pathname.split("/");
  const isUnfiltered = search === "";
  const parameters = new URLSearchParams(search);
  switch (page) {
    case "/":
      return isUnfiltered ? [toCall("/api/overview")] : [];
    case "/services":
      return [toCall("/api/services?trend=20&limit=200")];
    case "/services/:serviceId":
      return [
        `/api/services/${id}`,
        `/api/services/${id}/scan-runs?limit=200`,
        ...(parameters.has("tab") ? [] : [`/api/services/${id}/endpoints?limit=100`]),
      ].map(toCall);
    case "/scan-runs/:scanRunId":
      return callsOfScanRun(id, session, parameters);
    case "/findings":
      return isUnfiltered ? ["/api/findings/summary", "/api/findings?limit=200"].map(toCall) : [];
    case "/journeys":
      return [toCall("/api/journeys?limit=200")];
    case "/journeys/:journeyId":
      return [
        { path: `/api/journeys/${id}`, following: (journey) => callsOfJourney(id, journey, parameters) },
      ];
    case "/journeys/:journeyId/edit":
      return [{ path: `/api/journeys/${id}`, following: (journey) => callsOfBuildMode(id, journey) }];
    case "/journey-runs/:runId":
      return [
        { path: `/api/journey-runs/${id}`, following: (run) => callsOfCreator(run, session) },
        toCall(`/api/journey-runs/${id}/steps?after=-1&waitSeconds=0`),
      ];
    case "/coverage":
      return isUnfiltered ? callsOfCoverage(session) : [];
    case "/environments":
      return [toCall("/api/environments?limit=200")];
    case "/environments/:environmentId":
      return [`/api/environments/${id}`, `/api/environments/${id}/secrets`].map(toCall);
    case "/api-keys":
      return isUnfiltered
        ? [toCall(`/api/api-keys?organizationId=${fieldOf(session, "organizationId")}&limit=200`)]
        : [];
    default:
      return [];
  }
}

/**
 * Returns the calls for a completed run, which never changes: for the part above its tabs, the number of its changes,
 * and the open tab.
 */
function callsOfScanRun(id: string, session: string, parameters: URLSearchParams): FirstCall[] {
  const address = `/api/scan-runs/${id}`;
  const tab = parameters.get("tab") ?? "";
  const changes = parameters.has("against") ? [] : [toCall(`${address}/changes?against=previous`)];
  const content = (run: string): FirstCall[] =>
    fieldOf(run, "status") === "completed"
      ? [
          ...callsOfCreator(run, session),
          ...(tab === "" ? [toCall(`${address}/endpoints?limit=100`)] : []),
          ...(tab === "" || tab === "findings" ? [toCall(`${address}/findings?limit=2000`)] : []),
          ...(tab === "changes" ? changes : []),
        ]
      : [];
  const broken: FirstCall = {
    // Refused until the run is completed; then the page asks again.
    path: `${address}/broken-journeys`,
    // Everything in a service's first run is new, so the number of its changes is known.
    following: (response) => (tab === "changes" || response.includes('"against":null') ? [] : changes),
  };
  return [{ path: address, following: content }, ...(may(session, "journeys:read") ? [broken] : [])];
}

/** Returns the call for the key that a run was created with. */
function callsOfCreator(run: string, session: string): FirstCall[] {
  if (!may(session, "api-keys:read")) return [];
  const organizationId = fieldOf(session, "organizationId");
  return [toCall(`/api/api-keys/${fieldOf(run, "createdByKeyId")}?organizationId=${organizationId}`)];
}

/** Returns the call for the open tab of a document. */
function callsOfJourney(id: string, journey: string, parameters: URLSearchParams): FirstCall[] {
  const tab = parameters.get("tab") ?? (fieldOf(journey, "kind") === "openapi" ? "text" : "runs");
  const [version = headVersionOf(journey)] = /^[1-9]\d*$/.exec(parameters.get("version") ?? "") ?? [];
  const paths: Record<string, string> = {
    runs: `/api/journey-runs?journeyId=${id}&limit=50`,
    schedules: `/api/journey-schedules?journeyId=${id}&limit=200`,
    text: `/api/journeys/${id}/versions/${version}`,
    versions: `/api/journeys/${id}/versions?limit=200`,
  };
  return Object.hasOwn(paths, tab) ? [toCall(paths[tab] ?? "")] : [];
}

/** Returns the calls for the newest text of a document, and for its last run. */
function callsOfBuildMode(id: string, journey: string): FirstCall[] {
  const [, lastRun] = /"lastRun":\{"id":"([^"]+)"/.exec(journey) ?? [];
  return [
    `/api/journeys/${id}/versions/${headVersionOf(journey)}`,
    ...(lastRun === undefined ? [] : [`/api/journey-runs/${lastRun}`]),
  ].map(toCall);
}

/** Returns the calls for the coverage, and for the choices of its filters. */
function callsOfCoverage(session: string): FirstCall[] {
  return [
    "/api/journey-coverage?window=30&limit=2000",
    ...(may(session, "services:read") ? ["/api/services?limit=200"] : []),
    ...(may(session, "environments:read") ? ["/api/environments?limit=200"] : []),
  ].map(toCall);
}

const headVersionOf = (journey: string) => /"headVersion":(\d+)/.exec(journey)?.[1] ?? "1";

function may(session: string, permission: string): boolean {
  return ["*", permission].some((one) => session.includes(`"permission":"${one}"`));
}

/** The first field of this name in a response. */
function fieldOf(response: string, name: string): string {
  return new RegExp(`"${name}":"([^"]+)"`).exec(response)?.[1] ?? "";
}
