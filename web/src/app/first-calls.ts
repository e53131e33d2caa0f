import type { ConsolePage } from "@waymark/shared/console/schema.ts";

/** What the address and the session say. */
export interface Opened {
  page: ConsolePage;
  pathname: string;
  search: string;
  /** The text of the session's response. To search it is enough, and the schemas stay out of the first script. */
  session: string;
}

/** A call of the API, and the calls that its response leads to. */
export interface FirstCall {
  path: string;
  following?: (response: string) => readonly FirstCall[];
}

const toCall = (path: string): FirstCall => ({ path });

/**
 * What a page asks the API for first, besides the session: as soon as it can be known, and with the same paths as the page itself,
 * which gets the responses.
 */
export function firstCallsOf(opened: Opened): readonly FirstCall[] {
  const { page, pathname, search, session } = opened;
  const [, , id = ""] = pathname.split("/");
  const isUnfiltered = search === "";
  switch (page) {
    case "/":
      return [toCall("/api/overview")];
    case "/services":
      return [toCall("/api/services?trend=20&limit=200")];
    case "/services/:serviceId":
      return [
        `/api/services/${id}`,
        `/api/services/${id}/scan-runs?limit=200`,
        ...(isUnfiltered ? [`/api/services/${id}/endpoints?limit=2000`] : []),
      ].map(toCall);
    case "/scan-runs/:scanRunId":
      return [{ path: `/api/scan-runs/${id}`, following: (run) => callsOfRun(id, run, opened) }];
    case "/findings":
      return isUnfiltered ? ["/api/findings/summary?", "/api/findings?limit=200"].map(toCall) : [];
    case "/journeys":
      return [toCall("/api/journeys?limit=200")];
    case "/journeys/:journeyId":
      return [toCall(`/api/journeys/${id}`)];
    case "/journeys/:journeyId/edit":
      return [{ path: `/api/journeys/${id}`, following: (journey) => callsOfBuildMode(id, journey) }];
    case "/journey-runs/:runId":
      return [`/api/journey-runs/${id}`, `/api/journey-runs/${id}/steps?after=-1&waitSeconds=0`].map(toCall);
    case "/coverage":
      return isUnfiltered ? callsOfCoverage(session) : [];
    case "/environments":
      return [toCall("/api/environments?limit=200")];
    case "/environments/:environmentId":
      return [toCall(`/api/environments/${id}`)];
    case "/api-keys":
      return isUnfiltered
        ? [toCall(`/api/api-keys?organizationId=${fieldOf(session, "organizationId")}&limit=200`)]
        : [];
    default:
      return [];
  }
}

/** Of a completed run, in which nothing changes any more: what is above its tabs, the number of its changes, and the open tab. */
function callsOfRun(id: string, run: string, { search, session }: Opened): FirstCall[] {
  if (fieldOf(run, "status") !== "completed") return [];
  const address = `/api/scan-runs/${id}`;
  const organizationId = fieldOf(session, "organizationId");
  const submitter = `/api/api-keys/${fieldOf(run, "createdByKeyId")}?organizationId=${organizationId}`;
  const parameters = new URLSearchParams(search);
  const tab = parameters.get("tab") ?? "";
  const changes = parameters.has("against") ? [] : [toCall(`${address}/changes?against=previous`)];
  const broken: FirstCall = {
    path: `${address}/broken-journeys`,
    // All of a service's first run is new: the number of its changes is known.
    following: (response) => (tab === "changes" || response.includes('"against":null') ? [] : changes),
  };
  return [
    ...(may(session, "journeys:read") ? [broken] : []),
    ...(may(session, "api-keys:read") ? [toCall(submitter)] : []),
    ...(tab === "" ? [toCall(`${address}/endpoints?limit=100`)] : []),
    ...(tab === "" || tab === "findings" ? [toCall(`${address}/findings?limit=2000`)] : []),
    ...(tab === "changes" ? changes : []),
  ];
}

/** The newest text of a document, and its last run. */
function callsOfBuildMode(id: string, journey: string): FirstCall[] {
  const [, version] = /"headVersion":(\d+)/.exec(journey) ?? [];
  const [, lastRun] = /"lastRun":\{"id":"([^"]+)"/.exec(journey) ?? [];
  return [
    ...(version === undefined ? [] : [`/api/journeys/${id}/versions/${version}`]),
    ...(lastRun === undefined ? [] : [`/api/journey-runs/${lastRun}`]),
  ].map(toCall);
}

/** What counts, and what its filters offer. */
function callsOfCoverage(session: string): FirstCall[] {
  return [
    "/api/journey-coverage?window=30&limit=2000",
    ...(may(session, "services:read") ? ["/api/services?limit=200"] : []),
    ...(may(session, "environments:read") ? ["/api/environments?limit=200"] : []),
  ].map(toCall);
}

function may(session: string, permission: string): boolean {
  return ["*", permission].some((one) => session.includes(`"permission":"${one}"`));
}

/** The first field of this name in a response. */
function fieldOf(response: string, name: string): string {
  return new RegExp(`"${name}":"([^"]+)"`).exec(response)?.[1] ?? "";
}
