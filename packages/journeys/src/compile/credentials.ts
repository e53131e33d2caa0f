import { isOwnJourney } from "../document/own-journey.ts";
import { textsOf } from "../secrets/credential-texts.ts";
import type { Operation, SecurityScheme } from "../openapi/operation.ts";
import { parameterKey } from "../rules/parameter-rules.ts";
import type { PlacedParameter } from "./parameters.ts";
import type { Credential } from "../program/program.ts";
import { report } from "./unit.ts";
import type { Path, Unit } from "./unit.ts";

/**
 * How a step satisfies the security of its operation: by its own parameters, otherwise by inputs named like the security
 * schemes. Uses the first alternative that can be met. If there is none, it warns, because a journey may expect a 401.
 */
export function compileCredentials(
  unit: Unit,
  options: { path: Path; operation: Operation; parameters: PlacedParameter[]; inputs: ReadonlySet<string> },
): Credential[] {
  const { operation, parameters, inputs } = options;
  const given = new Set(parameters.map(({ parameter }) => parameterKey(parameter)));
  if (operation.security.length === 0) return [];
  // An empty alternative makes security optional; it is the last resort, not the first choice.
  const alternatives = operation.security.toSorted((a, b) => Number(a.length === 0) - Number(b.length === 0));
  for (const alternative of alternatives) {
    const met = alternative.map((scheme) => credentialOf(scheme, given, inputs));
    if (met.every((credential) => credential !== undefined)) {
      return met.filter((credential): credential is Credential => credential !== "given");
    }
  }
  const names = operation.security[0]?.map(({ name }) => `"${name}"`).join(" and ") ?? "";
  report(unit, options.path, {
    severity: "warning",
    code: "security-without-input",
    message: `The operation requires ${names}: no parameter or input of that name provides it.`,
  });
  return [];
}

function credentialOf(
  scheme: SecurityScheme,
  given: ReadonlySet<string>,
  inputs: ReadonlySet<string>,
): Credential | "given" | undefined {
  if (given.has(placeOf(scheme))) return "given";
  if (scheme.kind === "unsupported" || !inputs.has(scheme.name)) return undefined;
  const parameter = scheme.parameter === undefined ? {} : { parameter: scheme.parameter };
  return { kind: scheme.kind, ...parameter, input: scheme.name };
}

/** Where a scheme's secret stands in a request, as a parameter key. */
function placeOf(scheme: SecurityScheme): string {
  if (scheme.kind === "query" || scheme.kind === "cookie") return `${scheme.kind}:${scheme.parameter ?? ""}`;
  return `header:${(scheme.kind === "header" ? (scheme.parameter ?? "") : "authorization").toLowerCase()}`;
}

/**
 * A literal secret would be in the artifact and in all copies of it. Documents of other tools run nevertheless; the value is
 * redacted like any other secret.
 */
export function checkLiterals(
  unit: Unit,
  operation: Operation | undefined,
  parameters: readonly PlacedParameter[],
): void {
  const places = new Set(operation?.security.flat().map(placeOf));
  places.add("header:authorization");
  for (const { parameter, path } of parameters) {
    if (!("const" in parameter.value) || !places.has(parameterKey(parameter))) continue;
    // An empty value reveals nothing.
    if (textsOf(parameter.value.const).every((text) => text === "")) continue;
    const isOwn = isOwnJourney(unit.document.model);
    report(unit, path, {
      severity: isOwn ? "error" : "warning",
      code: "secret-literal",
      message: `"${parameter.name}" is a secret and stands in the document: take it from an input that x-journey.secrets refers to.`,
    });
  }
}
