import { get } from "node:http";
import type { PageCase } from "@waymark/test-support/console-pages.ts";
import type { HttpClient } from "@waymark/test-support/http-client.ts";
import { type ConsoleSystem, startConsoleSystem } from "../support/console-system.ts";
import { runRounds, type Samples, type Subject, valuesOf } from "../support/rounds.ts";
import type { Figure, Finding, ScenarioResult } from "../support/report.ts";
import type { Scenario } from "../support/scenario.ts";
import { quantile } from "../support/statistics.ts";
import { TARGETS } from "../support/targets.ts";
import { type Network, NETWORKS, scrollTable, visitPage, workOfInteractions } from "../support/visit-page.ts";

const [SHAPED] = NETWORKS;
const SCROLL = "scrolling 2,000 rows";
const INTERACT = "interacting with 2,000 rows";
const ENDPOINT_SEARCH = "search over a million endpoint rows";
const FINDING_SEARCH = "search over 500,000 findings";
const FINDING_COUNTS = "counts of 500,000 findings";
/** Words that all have, some, few and none; and words that rows of the findings' index have, but no single finding. */
const SEARCHED = {
  endpoints: ["v1", "get account", "list invoice", "invoicelines 77", "zebra"],
  findings: ["v1", "account", "get account", "get post account", "get account basket", "team 777", "zebra"],
};
const SEARCHES_EACH = 5;

/** Measures how long each page of the console takes to open, and how smoothly its largest table scrolls. */
export const measureConsole: Scenario = async (environment, { rounds }) => {
  const system = await startConsoleSystem(environment);
  const firstLoad = await measureFirstLoad(system);
  const subjects = NETWORKS.flatMap((network) => system.pages.map((page) => visits(system, page, network)));
  process.stderr.write(`  ${system.pages.length} pages on ${NETWORKS.length} networks:`);
  const others = [
    scrolling(system),
    interacting(system),
    searchingEndpoints(system),
    searchingFindings(system),
    countingFindings(system),
  ];
  const samples = await runRounds([...subjects, ...others], rounds);
  return resultOf(system.pages, samples, firstLoad);
};

const subjectName = (page: PageCase, network: Network) => `${page.name}, ${network.name}`;

function visits(system: ConsoleSystem, page: PageCase, network: Network): Subject {
  return {
    name: subjectName(page, network),
    async measure() {
      const { readyMs, wholeMs, bytes, calls, shifted } = await visitPage(system, page, network);
      return { readyMs, wholeMs, kilobytes: bytes / 1000, calls, shifted };
    },
  };
}

function scrolling(system: ConsoleSystem): Subject {
  return {
    name: SCROLL,
    measure: async () => ({ framesPerSecond: await scrollTable(system, system.largeTable) }),
  };
}

function interacting(system: ConsoleSystem): Subject {
  return {
    name: INTERACT,
    measure: async () => ({ ms: await workOfInteractions(system, system.largeTable) }),
  };
}

function searchingEndpoints({ http }: ConsoleSystem): Subject {
  return searching(ENDPOINT_SEARCH, http, SEARCHED.endpoints.map(searchFor("/api/endpoints")));
}

function searchingFindings({ findings }: ConsoleSystem): Subject {
  return searching(FINDING_SEARCH, findings, SEARCHED.findings.map(searchFor("/api/findings")));
}

function countingFindings({ findings }: ConsoleSystem): Subject {
  return searching(FINDING_COUNTS, findings, ["/api/findings/summary"]);
}

const searchFor = (path: string) => (text: string) => `${path}?q=${encodeURIComponent(text)}&limit=100`;

/** Measures the median time of each address, and reports the longest. */
function searching(name: string, http: HttpClient, paths: readonly string[]): Subject {
  return {
    name,
    async measure() {
      const medians: number[] = [];
      for (const path of paths) {
        const times: number[] = [];
        for (let n = 0; n < SEARCHES_EACH; n++) times.push(await timeGet(http, path));
        medians.push(quantile(times, 0.5));
      }
      return { ms: Math.max(...medians) };
    },
  };
}

async function timeGet(http: HttpClient, path: string): Promise<number> {
  const begin = performance.now();
  const { status } = await http.get(path);
  if (status !== 200) throw new Error(`${path} was answered with ${status}`);
  return performance.now() - begin;
}

interface FirstLoad {
  gzip: number;
  br: number;
}

/** Kilobytes of the files that the first page loads, in each encoding. They differ by the build alone. */
async function measureFirstLoad(system: ConsoleSystem): Promise<FirstLoad> {
  const [page] = system.pages;
  if (page === undefined) throw new Error("there are no pages");
  const { files } = await visitPage(system, page, NETWORKS[1]);
  const sum = async (encoding: string) => {
    const sizes = await Promise.all(files.map((file) => countBytes(file, encoding)));
    return sizes.reduce((total, size) => total + size, 0) / 1000;
  };
  return { gzip: await sum("gzip"), br: await sum("br") };
}

function countBytes(url: string, encoding: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { "accept-encoding": encoding, accept: "text/html,*/*" } }, (response) => {
      let bytes = 0;
      response.on("data", (chunk: Buffer) => (bytes += chunk.length));
      response.on("error", reject);
      response.on("end", () => resolve(bytes));
    }).on("error", reject);
  });
}

const MEASUREMENTS = [
  { name: "readyMs", measurement: "ready", unit: "ms" },
  { name: "wholeMs", measurement: "ready, also below the window", unit: "ms" },
  { name: "kilobytes", measurement: "transferred", unit: "kB" },
  { name: "calls", measurement: "calls of the API", unit: "" },
  { name: "shifted", measurement: "CLS", unit: "" },
] as const;

function resultOf(pages: readonly PageCase[], samples: Samples, firstLoad: FirstLoad): ScenarioResult {
  const figures = NETWORKS.flatMap((network) =>
    pages.flatMap((page) => figuresOf(samples, subjectName(page, network))),
  );
  const ready = pages.map((page): Finding => ({
    target: TARGETS.consoleReady,
    note: page.name,
    values: valuesOf(samples, subjectName(page, SHAPED), "readyMs"),
  }));
  const counts = {
    subject: FINDING_COUNTS,
    measurement: "response",
    unit: "ms",
    values: valuesOf(samples, FINDING_COUNTS, "ms"),
  };
  return {
    scenario: "console",
    figures: [...figures, counts],
    findings: [
      ...ready,
      { target: TARGETS.consoleFirstLoad, note: "gzip", values: [firstLoad.gzip] },
      { target: TARGETS.consoleFirstLoad, note: "brotli", values: [firstLoad.br] },
      { target: TARGETS.consoleShift, values: largestShifts(samples) },
      { target: TARGETS.consoleSearch, values: valuesOf(samples, ENDPOINT_SEARCH, "ms") },
      { target: TARGETS.consoleFindings, values: valuesOf(samples, FINDING_SEARCH, "ms") },
      { target: TARGETS.consoleWork, values: valuesOf(samples, INTERACT, "ms") },
      { target: TARGETS.consoleFrames, values: valuesOf(samples, SCROLL, "framesPerSecond") },
    ],
  };
}

function figuresOf(samples: Samples, subject: string): Figure[] {
  return MEASUREMENTS.map(({ name, measurement, unit }) => ({
    subject,
    measurement,
    unit,
    values: valuesOf(samples, subject, name),
  }));
}

/** Round by round, of the page that moved most. */
function largestShifts(samples: Samples): number[] {
  const visited = [...samples]
    .map(([, ofSubject]) => ofSubject)
    .filter(([first]) => first !== undefined && "shifted" in first);
  const rounds = visited[0]?.length ?? 0;
  return Array.from({ length: rounds }, (_, round) =>
    Math.max(...visited.map((ofSubject) => ofSubject[round]?.["shifted"] ?? Number.NaN)),
  );
}
