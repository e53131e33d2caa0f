import { isOwnJourney } from "../document/own-journey.ts";
import { textsOf } from "../secrets/credential-texts.ts";
import type { Operation, SecurityScheme } from "../openapi/operation.ts";
import { parameterKey } from "./parameters.ts";
import type { PlacedParameter } from "./parameters.ts";
import type { Credential } from "./program.ts";
import { report } from "./unit.ts";
import type { Path, Unit } from "./unit.ts";

/**
 * How a step satisfies the security of its operation: by parameters of its own, else by inputs that are named like the
 * security schemes. The first alternative that can be met is taken; none is a warning, because a journey may want a 401.
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
    message: `The operation asks for ${names}: no parameter and no input of that name gives it.`,
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
 * A constant where a secret goes would end up in the artifact and in every place it is copied to. The document of another tool
 * runs nevertheless; the value is redacted as any other secret is.
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
    // What is empty tells nothing.
    if (textsOf(parameter.value.const).every((text) => text === "")) continue;
    const isOwn = isOwnJourney(unit.document.model);
    report(unit, path, {
      severity: isOwn ? "error" : "warning",
      code: "secret-literal",
      message: `"${parameter.name}" is a secret and stands in the document: take it from an input that x-journey.secrets refers to.`,
    });
  }
}
