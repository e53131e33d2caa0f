import { coversSeverity } from "@waymark/shared/scans/finding-decisions/covers-severity.ts";
import { pathShape } from "@waymark/shared/scans/finding-decisions/finding-identity.ts";
import type { DecisionsOnFinding } from "../../lib/decision.ts";
import type { ProjectFile } from "../../framework/parse-project-file.ts";
import { plural, printable } from "../../lib/text.ts";
import type { LocatedFinding } from "../../openapi/located-finding.ts";

type FileDecision = NonNullable<ProjectFile["decisions"]>[number];

/** The decisions of `waymark.yaml`. */
export interface FileDecisions {
  /** Returns the first decision that covers a finding and holds, or else the first one that would if the finding were less severe. */
  find: (finding: LocatedFinding) => DecisionsOnFinding;
  /** Returns a sentence for each decision that has ended, or covered no finding that `find` was asked for. */
  idle: () => string[];
}

/** @param today as `YYYY-MM-DD` */
export function fileDecisions(decisions: readonly FileDecision[], today: string): FileDecisions {
  const counts = decisions.map(() => 0);
  return {
    find: (finding) => {
      const covering = decisions.flatMap((decision, index) => (covers(decision, finding) ? [index] : []));
      for (const index of covering) counts[index] = (counts[index] ?? 0) + 1;
      const found = covering
        .flatMap((index) => decisions[index] ?? [])
        .filter(({ until }) => until >= today)
        .map(({ kind, maxSeverity, reason, until }) => ({
          kind,
          maxSeverity,
          reason,
          until,
          isInSource: true,
        }));
      const decision = found.find(({ maxSeverity }) => coversSeverity(maxSeverity, finding.severity));
      return { decision, exceeded: decision === undefined ? found[0] : undefined };
    },
    idle: () =>
      decisions.flatMap((decision, index) => {
        const count = counts[index] ?? 0;
        const name = `decisions[${index}] of waymark.yaml (${printable(describeTarget(decision), 300)})`;
        if (count === 0)
          return [`${name} matches no finding of this scan: remove it, unless another scan needs it.`];
        if (decision.until >= today) return [];
        return [`${name} ended on ${decision.until}, and is for ${plural(count, "finding")}.`];
      }),
  };
}

function covers({ rule, method, path }: FileDecision, finding: LocatedFinding): boolean {
  if (rule !== finding.code) return false;
  if (method !== undefined && method !== finding.method) return false;
  return path === undefined || (finding.path !== null && pathShape(path) === pathShape(finding.path));
}

function describeTarget({ rule, method, path }: FileDecision): string {
  const place = [method, path].filter((part) => part !== undefined).join(" ");
  return place === "" ? rule : `${rule} at ${place}`;
}
