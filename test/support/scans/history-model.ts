// A model of services' histories in plain objects: what the overview, the timeline, the totals, the badges and the lists must answer.
import type { NormalizedEndpoint, NormalizedFinding } from "@waymark/shared/scans/schema.ts";

export interface Content {
  endpoints: NormalizedEndpoint[];
  findings: NormalizedFinding[];
}

export interface ModelRun {
  id: string;
  service: string;
  /** The time of the scan, in milliseconds. */
  at: number;
  createdAt: string;
  promoted: boolean;
  content: Content;
}

interface Seen {
  first: number;
  last: number;
}

interface SeenBefore {
  content: Seen | undefined;
  items: Map<string, number>;
}

export const endpointIdentity = ({ method, path }: NormalizedEndpoint): string =>
  JSON.stringify([method, path]);
export const findingIdentity = ({ code, message, method, path }: NormalizedFinding): string =>
  JSON.stringify([code, message, method, path]);

export const byTime = (a: ModelRun, b: ModelRun): number => a.at - b.at || (a.id < b.id ? -1 : 1);
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** All services of an organization. Runs are those that are stored. */
export class HistoryModel {
  runs: ModelRun[] = [];
  /** The last promoted run of each service and day, also if it was deleted. */
  readonly #days = new Map<string, Map<string, ModelRun>>();
  /** By service and content, until no run has the content. */
  readonly #contents = new Map<string, Map<string, { content: Content; seen: Seen }>>();
  /** By service and item, until no content of the service has it. */
  readonly #firstSeen = new Map<string, Map<string, number>>();

  add(run: ModelRun): void {
    this.runs.push(run);
    if (run.promoted) this.#remember(run);
  }

  promote(run: ModelRun): void {
    if (run.promoted) return;
    run.promoted = true;
    this.#remember(run);
  }

  #remember(run: ModelRun): void {
    const { service, content, at } = run;
    const days = getOrMake(this.#days, service, () => new Map<string, ModelRun>());
    const known = days.get(dayOf(at));
    if (known === undefined || byTime(known, run) < 0) days.set(dayOf(at), run);
    const contents = getOrMake(this.#contents, service, () => new Map());
    const { seen } = getOrMake(contents, JSON.stringify(content), () => ({
      content,
      seen: { first: at, last: at },
    }));
    seen.first = Math.min(seen.first, at);
    seen.last = Math.max(seen.last, at);
    const firstSeen = getOrMake(this.#firstSeen, service, () => new Map<string, number>());
    for (const item of itemsOf(content)) firstSeen.set(item, Math.min(firstSeen.get(item) ?? at, at));
  }

  /** Removes a promoted run from its service's history. `before` is what the service had before the run was promoted. */
  undo(run: ModelRun, before: SeenBefore): void {
    run.promoted = false;
    const { service, content, at } = run;
    const others = this.history(service);
    const days = this.#days.get(service);
    if (days?.get(dayOf(at)) === run) {
      const last = others.findLast((other) => dayOf(other.at) === dayOf(at));
      if (last === undefined) days.delete(dayOf(at));
      else days.set(dayOf(at), last);
    }
    if (before.content === undefined) this.#contents.get(service)?.delete(JSON.stringify(content));
    else this.#contents.get(service)?.set(JSON.stringify(content), { content, seen: before.content });
    this.#firstSeen.set(service, before.items);
  }

  /** When a service had a content and its items until now. */
  seenBefore({ service, content }: ModelRun): SeenBefore {
    const seen = this.#contents.get(service)?.get(JSON.stringify(content))?.seen;
    return {
      content: seen === undefined ? undefined : { ...seen },
      items: new Map(this.#firstSeen.get(service)),
    };
  }

  history(service: string): ModelRun[] {
    return this.runs.filter((run) => run.service === service && run.promoted).toSorted(byTime);
  }

  current(service: string): ModelRun | undefined {
    return this.history(service).at(-1);
  }

  /** The last run, if it is not promoted. */
  held(service: string): { run: ModelRun; since: string } | undefined {
    const runs = this.runs.filter((run) => run.service === service).toSorted(byTime);
    const last = runs.at(-1);
    if (last === undefined || last.promoted) return undefined;
    const current = this.current(service);
    const waiting = runs.filter((run) => current === undefined || byTime(current, run) < 0);
    return { run: last, since: waiting.map(({ createdAt }) => createdAt).toSorted()[0] ?? "" };
  }

  /** Newest first. */
  changes(service: string) {
    const history = this.history(service);
    return history
      .map((run, index) => ({ run, before: history[index - 1], ...compare(history[index - 1], run) }))
      .filter(({ before, differs }) => before === undefined || differs)
      .toReversed();
  }

  seen(service: string, item: string): Seen {
    const last = [...(this.#contents.get(service)?.values() ?? [])]
      .filter(({ content }) => itemsOf(content).has(item))
      .map(({ seen }) => seen.last);
    return { first: this.#firstSeen.get(service)?.get(item) ?? Number.NaN, last: Math.max(...last) };
  }

  /** Endpoints and findings of all services at the end of a day. */
  totals(day: string): { endpoints: number; findings: number } {
    const total = { endpoints: 0, findings: 0 };
    for (const days of this.#days.values()) {
      const last = [...days.keys()].filter((each) => each <= day).toSorted();
      const run = days.get(last.at(-1) ?? "");
      total.endpoints += run?.content.endpoints.length ?? 0;
      total.findings += run?.content.findings.length ?? 0;
    }
    return total;
  }

  /** Deletes all runs but the last `keepRuns` of each service, the current one and those of its last change; then contents without a run. */
  retain(keepRuns: number): void {
    const kept = new Set<ModelRun | undefined>();
    for (const service of new Set(this.runs.map((run) => run.service))) {
      const runs = this.runs.filter((run) => run.service === service).toSorted(byTime);
      const [change] = this.changes(service);
      for (const run of [...runs.slice(-keepRuns), this.current(service), change?.run, change?.before])
        kept.add(run);
    }
    this.runs = this.runs.filter((run) => kept.has(run));
    const stored = new Set(this.runs.map(({ content }) => JSON.stringify(content)));
    for (const [service, contents] of this.#contents) {
      for (const text of contents.keys()) if (!stored.has(text)) contents.delete(text);
      const items = new Set([...contents.values()].flatMap(({ content }) => [...itemsOf(content)]));
      const firstSeen = this.#firstSeen.get(service);
      for (const item of firstSeen?.keys() ?? []) if (!items.has(item)) firstSeen?.delete(item);
    }
  }
}

function itemsOf({ endpoints, findings }: Content): Set<string> {
  return new Set([...endpoints.map(endpointIdentity), ...findings.map(findingIdentity)]);
}

function getOrMake<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

/** Items of the first list that the second has not, each as often as it is there more often. */
function without<Item>(items: readonly Item[], others: readonly Item[]): Item[] {
  const left = others.map((item) => JSON.stringify(item));
  return items.filter((item) => {
    const index = left.indexOf(JSON.stringify(item));
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
}

function compare(before: ModelRun | undefined, after: ModelRun) {
  const old = before?.content ?? { endpoints: [], findings: [] };
  const endpoints = match(old.endpoints, after.content.endpoints, endpointIdentity);
  const findings = match(old.findings, after.content.findings, findingIdentity);
  const shapeOf = ({ method, path }: NormalizedEndpoint) =>
    `${method} ${path.replaceAll(/\{[^}]*\}/g, "{}")}`;
  const addedShapes = new Set(endpoints.added.map(shapeOf));
  const renamed = endpoints.removed.filter((each) => addedShapes.has(shapeOf(each)));
  // Each removed one takes an added one of its shape, and the last one of a shape serves all that are left.
  const taken = [...Map.groupBy(endpoints.added, shapeOf)].map(([shape, added]) =>
    Math.min(added.length, renamed.filter((each) => shapeOf(each) === shape).length),
  );
  const removedWithEndpoint = findings.removed.filter((finding) =>
    endpoints.removed.some(({ method, path }) => method === finding.method && path === finding.path),
  );
  const rose = (severity: string, lower: readonly string[]) =>
    findings.added.filter((each) => each.severity === severity).length +
    findings.changed.filter(
      (pair) => pair.after.severity === severity && lower.includes(pair.before.severity),
    ).length;
  return {
    differs: [endpoints, findings].some(
      ({ added, removed, changed }) => added.length + removed.length + changed.length > 0,
    ),
    endpoints: {
      added: endpoints.added.length - taken.reduce((total, count) => total + count, 0),
      removed: endpoints.removed.length - renamed.length,
      changed: endpoints.changed.length + renamed.length,
    },
    findings: {
      new: findings.added.length,
      fixed: findings.removed.length - removedWithEndpoint.length,
      removedWithEndpoint: removedWithEndpoint.length,
      severityChanged: findings.changed.length,
    },
    newCritical: rose("critical", ["info", "low", "medium", "high"]),
    newHigh: rose("high", ["info", "low", "medium"]),
  };
}

function match<Item extends object>(
  before: readonly Item[],
  after: readonly Item[],
  identityOf: (item: Item) => string,
) {
  const sorted = (items: Item[]) =>
    items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  const [gone, come] = [sorted(without(before, after)), sorted(without(after, before))];
  const result = {
    added: [] as Item[],
    removed: [] as Item[],
    changed: [] as { before: Item; after: Item }[],
  };
  for (const identity of new Set([...gone, ...come].map(identityOf))) {
    const [old, now] = [gone, come].map((items) => items.filter((item) => identityOf(item) === identity));
    for (let n = 0; n < Math.max(old?.length ?? 0, now?.length ?? 0); n++) {
      const [one, other] = [old?.[n], now?.[n]];
      if (one !== undefined && other !== undefined) result.changed.push({ before: one, after: other });
      else if (one !== undefined) result.removed.push(one);
      else if (other !== undefined) result.added.push(other);
    }
  }
  return result;
}
