import { describe, expect, it } from "vitest";
import { type FirstCall, firstCallsOf } from "./first-calls.ts";

const RUN = "11111111-1111-1111-1111-111111111111";
const ALL = '{"organizationId":"org","scopes":[{"permission":"*"}]}';
const COMPLETED = `{"id":"${RUN}","serviceName":"a \\"status\\":\\"accepted\\"","status":"completed","createdByKeyId":"key"}`;

const openedRun = ({ search = "", session = ALL } = {}) =>
  ({ page: "/scan-runs/:scanRunId", pathname: `/scan-runs/${RUN}`, search, session }) as const;

/** The calls that the run's response leads to. */
function callsOf({ search = "", session = ALL, run = COMPLETED } = {}): readonly FirstCall[] {
  const [first] = firstCallsOf(openedRun({ search, session }));
  return first?.following?.(run) ?? [];
}

const namesOf = (calls: readonly FirstCall[]) => calls.map(({ path }) => path.split("/").at(-1));

/** The names of the calls that the response about broken journeys leads to. */
function changesAfter(broken: string, search = ""): (string | undefined)[] {
  const calls = firstCallsOf(openedRun({ search })).filter(({ path }) => path.endsWith("/broken-journeys"));
  expect(calls).toHaveLength(1);
  return namesOf(calls.flatMap(({ following }) => following?.(broken) ?? []));
}

describe("the first calls of a scan run", () => {
  it("are those of its head and of the open tab", () => {
    const key = "key?organizationId=org";
    expect(namesOf(firstCallsOf(openedRun()))).toEqual([RUN, "broken-journeys"]);
    expect(namesOf(callsOf())).toEqual([key, "endpoints?limit=100", "findings?limit=2000"]);
    expect(namesOf(callsOf({ search: "?tab=findings&q=x" }))).toEqual([key, "findings?limit=2000"]);
    expect(namesOf(callsOf({ search: "?tab=changes" }))).toEqual([key, "changes?against=previous"]);
  });

  it("leave out what the session has no permission for", () => {
    const session = '{"organizationId":"org","scopes":[{"permission":"endpoints:read"}]}';
    expect(namesOf(firstCallsOf(openedRun({ session })))).toEqual([RUN]);
    expect(namesOf(callsOf({ session }))).toEqual(["endpoints?limit=100", "findings?limit=2000"]);
  });

  it("end with the run until it is completed", () => {
    expect(callsOf({ run: COMPLETED.replace("completed", "accepted") })).toEqual([]);
  });

  it("have the changes since the previous run once, unless there is none or another one is chosen", () => {
    const since = '{"journeys":[],"against":"22222222-2222-2222-2222-222222222222"}';
    expect(changesAfter(since)).toEqual(["changes?against=previous"]);
    expect(changesAfter('{"journeys":[],"against":null}')).toEqual([]);
    expect(changesAfter(since, "?against=3")).toEqual([]);
    expect(changesAfter(since, "?tab=changes")).toEqual([]);
    expect(namesOf(callsOf({ search: "?tab=changes&against=3" }))).not.toContain("changes?against=previous");
  });
});

describe("the first calls of a document", () => {
  const following = (journey: string, search = "") => {
    const pathname = `/journeys/${RUN}`;
    const opened = { page: "/journeys/:journeyId", pathname, search, session: ALL } as const;
    return firstCallsOf(opened).flatMap((call) => (call.following?.(journey) ?? []).map(({ path }) => path));
  };
  const journey = '{"kind":"journey","headVersion":12}';

  it.each([
    ["", `/api/journey-runs?journeyId=${RUN}&limit=50`],
    ["?tab=schedules", `/api/journey-schedules?journeyId=${RUN}&limit=200`],
    ["?tab=text", `/api/journeys/${RUN}/versions/12`],
    ["?tab=text&version=7", `/api/journeys/${RUN}/versions/7`],
    ["?tab=text&version=../7", `/api/journeys/${RUN}/versions/12`],
    ["?tab=versions", `/api/journeys/${RUN}/versions?limit=200`],
  ])("are those of the tab that %j opens", (search, path) => {
    expect(following(journey, search)).toEqual([path]);
  });

  it("are the text of a description, which has no runs, and nothing for links", () => {
    expect(following('{"kind":"openapi","headVersion":2}')).toEqual([`/api/journeys/${RUN}/versions/2`]);
    expect(following(journey, "?tab=links")).toEqual([]);
  });
});

describe("the first calls of build mode", () => {
  const following = (journey: string) => {
    const pathname = `/journeys/${RUN}/edit`;
    const opened = { page: "/journeys/:journeyId/edit", pathname, search: "", session: ALL } as const;
    return firstCallsOf(opened).flatMap((call) => namesOf(call.following?.(journey) ?? []));
  };

  it("are the newest text and the last run, if there is one", () => {
    expect(following('{"lastRun":{"id":"run","status":"passed"},"headVersion":12}')).toEqual(["12", "run"]);
    expect(following('{"lastRun":null,"headVersion":3}')).toEqual(["3"]);
  });
});

describe("the first calls of coverage", () => {
  it("offer the filters only what the session may read, and leave a filtered page to itself", () => {
    const of = (search: string, session: string) =>
      namesOf(firstCallsOf({ page: "/coverage", pathname: "/coverage", search, session }));
    const coverage = "journey-coverage?window=30&limit=2000";
    expect(of("", ALL)).toEqual([coverage, "services?limit=200", "environments?limit=200"]);
    expect(of("", '{"scopes":[{"permission":"services:read"}]}')).toEqual([coverage, "services?limit=200"]);
    expect(of("?origin=cloud", ALL)).toEqual([]);
  });
});
