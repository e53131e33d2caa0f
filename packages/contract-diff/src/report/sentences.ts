import type { Effect, Finding, Mode } from "../schemas/pair-result.ts";
import type { Level } from "../verdict.ts";

interface Subject {
  finding: Finding;
  effect: Effect;
  mode: Mode;
  level: Level;
  /** The value that changed, such as `the property "street"`. */
  what: string;
}

type Say = (subject: Subject) => string;

const change: Say = ({ finding, what }) => {
  const { before, after, keyword } = finding;
  if (before === undefined) return `${what} now has ${after ?? keyword ?? "a limit"}`;
  return after === undefined
    ? `${what} no longer has ${before}`
    : `${what} changed from ${before} to ${after}`;
};

/** The rules whose change reads better in words of its own. */
const CHANGES: Record<string, Say> = {
  "property-added": ({ what }) => `${what} was added`,
  "required-property-added": ({ what }) => `${what} was added and is required`,
  "property-removed": ({ what }) => `${what} was removed`,
  "required-property-removed": ({ what }) => `${what}, which was always there, was removed`,
  "property-hidden": ({ what, mode }) => `${what} is now ${mode === "request" ? "read-only" : "write-only"}`,
  "property-renamed": ({ finding }) => `the property "${finding.before}" is now "${finding.after}"`,
  "property-became-required": ({ what }) => `${what} is now required`,
  "property-became-optional": ({ what }) => `${what} is now optional`,
  "null-added": ({ what }) => `${what} can now be null`,
  "null-removed": ({ what }) => `${what} can no longer be null`,
  "type-changed": ({ what, finding }) => `${what} is now ${finding.after} instead of ${finding.before}`,
  "type-narrowed": ({ what, finding }) => `${what} is now only ${finding.after}, no longer ${finding.before}`,
  "type-widened": ({ what, finding }) => `${what} can now be ${finding.after}, was ${finding.before}`,
  "enum-added": ({ what, finding }) => `${what} now allows only ${finding.after}`,
  "enum-removed": ({ what, finding }) => `${what} is no longer limited to ${finding.before}`,
  "enum-value-removed": ({ what, finding }) => `${what} no longer allows ${finding.before}`,
  "enum-value-added": ({ what, finding }) => `${what} can now be ${finding.after}`,
  "enum-replaced": ({ what }) => `${what} has other limits instead of listed values`,
  "const-changed": ({ what, finding }) => `${what} is now ${finding.after} instead of ${finding.before}`,
  "values-forbidden": ({ what }) => `${what} allows no value any more`,
  "values-allowed": ({ what }) => `${what} was forbidden and now allows values`,
  "alternative-added": ({ what, finding }) => `${what} has the new alternative ${finding.after}`,
  "alternative-removed": ({ what, finding }) => `${what} no longer has the alternative ${finding.before}`,
  "alternatives-overlap": ({ what }) => `${what} must match exactly one alternative, and values match two`,
  "alternatives-overlap-removed": ({ what }) => `${what} can now be values that matched two alternatives`,
  "additional-properties-closed": ({ what }) => `${what} no longer allows names that it doesn't list`,
  "additional-properties-opened": ({ what }) => `${what} now allows names that it doesn't list`,
  "xml-changed": ({ what }) => `${what} is written in another way`,
  "contains-added": ({ what }) => `${what} must now contain a certain item`,
  "contains-removed": ({ what }) => `${what} need no longer contain a certain item`,
  "unique-items-set": ({ what }) => `${what} must not have an item twice any more`,
  "unique-items-unset": ({ what }) => `${what} can now have an item twice`,
  "condition-added": ({ what }) => `${what} has a new condition (if)`,
  "condition-removed": ({ what }) => `${what} no longer has a condition (if)`,
  "exclusion-added": ({ what }) => `${what} excludes values (not) that it allowed`,
  "exclusion-removed": ({ what }) => `${what} no longer excludes values (not)`,
  "dependent-required-added": ({ what, finding }) => `${what} now demands ${finding.after} beside it`,
  "dependent-required-removed": ({ what, finding }) =>
    `${what} no longer demands ${finding.before} beside it`,
  "dependent-schema-added": ({ what }) => `${what} now puts a condition on the object`,
  "dependent-schema-removed": ({ what }) => `${what} no longer puts a condition on the object`,
  "discriminator-added": ({ what, finding }) => `${what} now tells its kinds by "${finding.after}"`,
  "discriminator-removed": ({ what, finding }) => `${what} no longer tells its kinds by "${finding.before}"`,
  "discriminator-renamed": ({ what, finding }) =>
    `${what} tells its kinds by "${finding.after}" instead of "${finding.before}"`,
  "discriminator-value-added": ({ what, finding }) => `${what} has the new kind "${finding.after}"`,
  "discriminator-value-removed": ({ what, finding }) => `${what} no longer has the kind "${finding.before}"`,
  "discriminator-value-renamed": ({ what, finding }) =>
    `the kind "${finding.before}" of ${what} is now called "${finding.after}"`,
  "discriminator-value-remapped": ({ what, finding }) =>
    `the kind "${finding.before}" of ${what} is another schema`,
  "all-of-part-removed": ({ what, finding }) => `${what} is no longer made of ${finding.before}`,
  "extensible-enum-value-removed": ({ what, finding }) => `${what} no longer lists ${finding.before}`,
  undecided: ({ what }) => `${what} changed, and it could not be decided whether clients break`,
};

/** Returns one sentence: the change, and who notices it. */
export function sentenceOf(subject: Subject): string {
  const say = CHANGES[subject.finding.kind] ?? change;
  const text = `${say(subject)}${consequence(subject)}.`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function consequence({ finding, effect, mode, level }: Subject): string {
  if (level === "safe" || finding.kind === "undecided") return "";
  if (finding.kind.startsWith("default-")) return ": requests that leave it out mean something else";
  if (finding.kind === "all-of-part-removed") return ": generated classes no longer extend it";
  if (finding.kind === "discriminator-removed") return ": generated clients tell kinds in another way";
  if (mode === "request") {
    if (effect === "unknown") return ": requests that were valid may be refused";
    if (level === "maybe" && finding.lost === true)
      return ": servers ignore or refuse it, and its effect is lost";
    return level === "maybe" ? ": servers may refuse requests that were valid" : requestConsequence(finding);
  }
  if (effect === "unknown") return ": clients may receive what they don't expect";
  if (finding.lost === true || finding.kind === "property-became-optional")
    return ": clients that read it miss it";
  return level === "maybe"
    ? ": strict clients may not expect it"
    : ": clients can receive what they don't expect";
}

function requestConsequence({ kind }: Finding): string {
  if (kind.endsWith("required") || kind === "required-property-added")
    return ": requests without it are refused";
  return ": requests that were valid are refused";
}
