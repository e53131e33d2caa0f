import { CONSOLE_PAGES } from "@waymark/shared/console/schema.ts";
import { OPERATIONS } from "@waymark/shared/all-operations.ts";
import { requestOf } from "@waymark/shared/operations/request.ts";
import type { Session } from "@waymark/shared/session/schema.ts";
import { describe, expect, it } from "vitest";
import type { FirstQuery } from "../lib/first-queries.ts";
import { hasPermission } from "../lib/permissions.ts";
import { firstQueriesOf } from "./first-queries-of.ts";
import { ROUTES } from "./routes.ts";

const ID = "11111111-1111-1111-1111-111111111111";

function sessionOf(...permissions: string[]): Session {
  return {
    organizationId: "org",
    organizationName: "Org",
    apiKeyId: "own",
    apiKeyName: "Own",
    principal: null,
    email: null,
    identityProviderId: null,
    scopes: permissions.map((permission) => ({ permission })),
    expiresAt: null,
  };
}
const ALL = sessionOf("*");

const firstOf = (pathname: string, page: keyof typeof ROUTES, { search = "", session = ALL } = {}) =>
  firstQueriesOf(page, { pathname, search, session });

const pathsOf = (queries: readonly FirstQuery[]) =>
  queries.map(({ address, parts }) => requestOf(address, parts).path);
const namesOf = (queries: readonly FirstQuery[]) => pathsOf(queries).map((path) => path.split("/").at(-1));

const openedRun = (options = {}) => firstOf(`/scan-runs/${ID}`, "/scan-runs/:scanRunId", options);

/** Returns the queries that the run's response leads to. */
function queriesAfter(run: object, options = {}): readonly FirstQuery[] {
  const [first] = openedRun(options);
  return first?.following?.(run) ?? [];
}
const COMPLETED = { id: ID, status: "completed", serviceId: "service", createdByKeyId: "key", gates: null };

/** The names of the queries that the response about the changes leads to. */
function queriesAfterChanges(changes: object, search = ""): (string | undefined)[] {
  const queries = openedRun({ search }).filter(({ address }) => address.path.endsWith("/changes"));
  expect(queries).toHaveLength(1);
  return namesOf(queries.flatMap(({ following }) => following?.(changes) ?? []));
}

describe("the first queries of a scan run", () => {
  const head = ["service", "key?organizationId=org"];

  it("are those of its header, of its verdict, and of the open tab", () => {
    expect(namesOf(openedRun())).toEqual([ID, "changes?against=previous", "broken-journeys"]);
    expect(namesOf(queriesAfter(COMPLETED))).toEqual(head);
    expect(namesOf(queriesAfter({ ...COMPLETED, gates: [] }))).toEqual([...head, "gates"]);
    const ofOtherTab = (search: string) => namesOf(openedRun({ search }));
    expect(ofOtherTab("?tab=endpoints")).toEqual([
      ID,
      "broken-journeys",
      "endpoints?limit=100",
      "findings?limit=2000",
    ]);
    expect(ofOtherTab("?tab=findings&q=x")).toEqual([ID, "broken-journeys", "findings?limit=2000"]);
    const emptyAtFirst = openedRun({ search: "?tab=endpoints" }).filter((query) => query.isEmptyAtFirst);
    expect(namesOf(emptyAtFirst)).toEqual(["endpoints?limit=100", "findings?limit=2000"]);
  });

  it("leave out what the session has no permission for", () => {
    const session = sessionOf("services:read");
    expect(namesOf(openedRun({ session }))).toEqual([ID]);
    const search = "?tab=endpoints";
    expect(namesOf(openedRun({ session, search }))).toEqual([ID]);
    expect(namesOf(queriesAfter(COMPLETED, { session, search }))).toEqual(["service"]);
  });

  it("leave out its gates until it is completed", () => {
    const accepted = { ...COMPLETED, status: "accepted", gates: [] };
    expect(namesOf(queriesAfter(accepted))).toEqual(head);
  });

  it("have the changes since the run that is chosen", () => {
    expect(namesOf(openedRun({ search: "?tab=changes&against=3" }))).toContain("changes?against=3");
  });

  it("have the endpoints of a run whose changes are shown by tag", () => {
    const changed = { verdicts: [{}] };
    expect(queriesAfterChanges(changed)).toEqual(["endpoints?limit=100"]);
    expect(queriesAfterChanges(changed, "?tab=changes")).toEqual(["endpoints?limit=100"]);
    expect(queriesAfterChanges({ verdicts: [] })).toEqual([]);
  });

  it("have no changes of a first run on the other tabs", () => {
    const after = (against: string | null) => {
      const queries = openedRun({ search: "?tab=findings" });
      expect(namesOf(queries)).toEqual([ID, "broken-journeys", "findings?limit=2000"]);
      return namesOf(queries[1]?.following?.({ journeys: [], against }) ?? []);
    };
    expect(after(null)).toEqual([]);
    expect(after("22222222-2222-2222-2222-222222222222")).toEqual(["changes?against=previous"]);
    const session = sessionOf("services:read", "endpoints:read");
    expect(namesOf(openedRun({ search: "?tab=findings", session }))).toEqual([
      ID,
      "changes?against=previous",
      "findings?limit=2000",
    ]);
  });
});

describe("the first queries of a document", () => {
  const after = (journey: object, { search = "", session = ALL } = {}) =>
    pathsOf(
      firstOf(`/journeys/${ID}`, "/journeys/:journeyId", { search, session }).flatMap(
        ({ following }) => following?.(journey) ?? [],
      ),
    );
  const journey = { kind: "journey", headVersion: 12 };

  it.each([
    ["", `/api/journey-runs?journeyId=${ID}&limit=50`],
    ["?tab=schedules", `/api/journey-schedules?journeyId=${ID}&limit=200`],
    ["?tab=text", `/api/journeys/${ID}/versions/12`],
    ["?tab=text&version=7", `/api/journeys/${ID}/versions/7`],
    ["?tab=text&version=../7", `/api/journeys/${ID}/versions/12`],
  ])("are those of the tab that %j opens", (search, path) => {
    expect(after(journey, { search })).toEqual([path]);
  });

  it("are its versions, with the names of keys if the session may read them", () => {
    const versions = `/api/journeys/${ID}/versions?limit=200`;
    const names = "/api/api-keys?organizationId=org&limit=200";
    expect(after(journey, { search: "?tab=versions" })).toEqual([versions, names]);
    const session = sessionOf("journeys:read");
    expect(after(journey, { search: "?tab=versions", session })).toEqual([versions]);
  });

  it("are the text of a description, which has no runs, and nothing for links", () => {
    expect(after({ kind: "openapi", headVersion: 2 })).toEqual([`/api/journeys/${ID}/versions/2`]);
    expect(after(journey, { search: "?tab=links" })).toEqual([]);
  });
});

describe("the first queries of build mode", () => {
  const after = (journey: object) =>
    firstOf(`/journeys/${ID}/edit`, "/journeys/:journeyId/edit").flatMap(({ following }) =>
      namesOf(following?.(journey) ?? []),
    );

  it("are the newest text and the last run, if there is one", () => {
    expect(after({ lastRun: { id: "run", status: "passed" }, headVersion: 12 })).toEqual(["12", "run"]);
    expect(after({ lastRun: null, headVersion: 3 })).toEqual(["3"]);
  });
});

describe("the first queries of coverage", () => {
  it("offer the filters only what the session may read, and leave a filtered page to itself", () => {
    const of = (search: string, session: Session) =>
      namesOf(firstOf("/coverage", "/coverage", { search, session }));
    const coverage = "journey-coverage?window=30&limit=2000";
    expect(of("", ALL)).toEqual([coverage, "services?limit=200", "environments?limit=200"]);
    const session = sessionOf("journeys:read", "services:read", "endpoints:read");
    expect(of("", session)).toEqual([coverage, "services?limit=200"]);
    expect(of("?origin=cloud", ALL)).toEqual([]);
  });
});

describe("the first queries of every page", () => {
  const operationOf = ({ address }: FirstQuery) => {
    const found = Object.values(OPERATIONS).find(
      ({ method, path }) => method === address.method && path === address.path,
    );
    if (found === undefined) throw new Error(`no operation is at ${address.path}`);
    return found;
  };
  const pathnameOf = (page: string) => page.replace(/:\w+/, ID);

  it.each(CONSOLE_PAGES)("need no other permissions than %s itself", (page) => {
    const session = sessionOf(...ROUTES[page].needs);
    const missing = firstOf(pathnameOf(page), page, { session }).flatMap((query) => {
      const { id, access } = operationOf(query);
      const needs = access === "public" ? [] : access.needs;
      return needs.filter((one) => !hasPermission(session, one)).map((one) => `${id} needs ${one}`);
    });
    expect(missing).toEqual([]);
  });

  it.each(CONSOLE_PAGES)("are none on %s in a session that lacks a permission or is limited", (page) => {
    const { needs } = ROUTES[page];
    const limited = { ...ALL, scopes: [{ permission: "*", serviceId: ID }] };
    expect(firstOf(pathnameOf(page), page, { session: limited })).toEqual([]);
    for (const lacking of needs) {
      const session = sessionOf(...needs.filter((one) => one !== lacking));
      expect(firstOf(pathnameOf(page), page, { session })).toEqual([]);
    }
  });
});
