import type { Comparison, NotComparedReason } from "@waymark/shared/scans/comparisons/schema.ts";
import { countOf } from "../count-of.ts";

/** The result of a comparison in words. */
export interface ComparisonWords {
  /** `breaks`: clients break. `open`: nothing is known, or not all. `fine`: all was compared, and nothing breaks. */
  tone: "breaks" | "open" | "fine";
  headline: string;
  /** The consequence, and what to do. Empty if the headline says all. */
  detail: string;
}

const OWN_DIFF = "To compare two files yourself, run `waymark diff BASE HEAD`.";

const WHY_NOT: Readonly<Record<NotComparedReason, readonly [reason: string, detail: string]>> = {
  no_base: ["there is no earlier run", "The next run of the service is compared with this one."],
  no_description: [
    "this run has no description",
    "The `waymark` command stores it with each scan, unless it is called with `--no-description` or `waymark.yaml` has `description: false`.",
  ],
  no_base_description: [
    "the run before has no description",
    "The next run with a description is compared with this one.",
  ],
  too_large: ["the comparison needs too much time or memory", OWN_DIFF],
  failed: ["the comparison failed several times", `The log of the worker has the reason. ${OWN_DIFF}`],
};

/** Says which rules judged, if newer ones exist. */
function describeRules(rules: Comparison["rules"]): string {
  if (rules === null || rules.version === rules.latest) return "";
  return (
    `Version ${rules.version} of the rules judged this; Waymark has version ${rules.latest} now. ` +
    "A worker compares the last change of each service, and the last runs that are not promoted, again. To compare another one, run `waymark diff BASE HEAD`."
  );
}

/** Describes a comparison. "Nothing breaks" is said only if all was compared. */
export function describeComparison(comparison: Comparison): ComparisonWords {
  const { status, reason, counts, notCompared, comparedAt, rules } = comparison;
  if (status === "pending")
    return {
      tone: "open",
      headline: "The descriptions are being compared",
      detail:
        "Until then, nothing is known about parameters, bodies and responses. This page looks for the result for ten minutes; after that, reload it.",
    };
  if (status === "not_compared" || counts === null) {
    const [why, detail] = WHY_NOT[reason ?? "failed"];
    return { tone: "open", headline: `Not compared: ${why}`, detail };
  }
  const { breaking, maybe, safe, approved } = counts;
  const others = [
    breaking > 0 && maybe > 0 ? `${countOf(maybe, "further changes")} may break clients.` : "",
    safe > 0 ? `${countOf(safe, "changes")} ${safe === 1 ? "breaks" : "break"} no client.` : "",
    approved > 0 ? `${approved} of ${breaking + maybe} ${approved === 1 ? "is" : "are"} approved.` : "",
  ];
  const rest = notCompared.length > 0 ? "A part of the description was not compared: see below." : "";
  const detail = [...others, rest, describeRules(rules)].filter(Boolean).join(" ");
  if (breaking > 0)
    return {
      tone: "breaks",
      headline: `Breaks clients: ${countOf(breaking, "changes")}`,
      detail,
    };
  if (maybe > 0) return { tone: "open", headline: `${countOf(maybe, "changes")} may break clients`, detail };
  if (notCompared.length > 0)
    return { tone: "open", headline: "No break was found in the parts that were compared", detail };
  return {
    tone: "fine",
    headline: "Breaks clients: nothing",
    detail: comparedAt === null ? "The description is the same as in the run before." : detail,
  };
}
