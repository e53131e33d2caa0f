import { isObject, ownValue } from "@waymark/openapi/json.ts";
import { decodePointer, resolvePointer } from "@waymark/openapi/pointer.ts";
import { isOwnJourney } from "../document/own-journey.ts";
import type { Workflow } from "../document/model.ts";
import { keywordOf, propertiesOf } from "./input-schema.ts";
import { schemaProblems } from "./schema-faults.ts";
import { report } from "./unit.ts";
import type { Path, Unit } from "./unit.ts";

const DEPTH_MAX = 100;

/**
 * The JSON Schema of a workflow's inputs with every reference into the document made one into its own `$defs`, so that it
 * stands alone. A schema that is not valid, a secret with a default, and a secret that is no input are reported.
 */
export function compileInputs(
  unit: Unit,
  path: Path,
  workflow: Workflow,
): Record<string, unknown> | undefined {
  const { inputs: schema } = workflow;
  for (const problem of schema === undefined ? [] : schemaProblems(schema)) {
    report(unit, [...path, "inputs", ...problem.path], {
      code: "invalid-schema",
      message: `The schema of the inputs is not valid: ${problem.message}.`,
    });
  }
  const compiled =
    typeof schema === "boolean" ? ofBoolean(schema) : standAlone(unit, [...path, "inputs"], schema);
  checkSecrets(unit, path, workflow, compiled);
  return compiled;
}

/** `true` asks for nothing, as no schema does; `false` refuses any inputs. */
function ofBoolean(schema: boolean): Record<string, unknown> | undefined {
  return schema ? undefined : { not: {} };
}

function checkSecrets(
  unit: Unit,
  path: Path,
  workflow: Workflow,
  schema: Record<string, unknown> | undefined,
): void {
  const secrets = workflow["x-journey"]?.secrets ?? {};
  const properties = propertiesOf(schema) ?? {};
  for (const name of Object.keys(secrets)) {
    if (Object.hasOwn(properties, name)) continue;
    report(unit, [...path, "x-journey", "secrets", name], {
      code: "unknown-input",
      message: `The secret "${name}" is no input of this workflow.`,
    });
  }
  for (const [name, property] of Object.entries(properties)) {
    const isSecret = Object.hasOwn(secrets, name) || keywordOf(schema, property, "format") === "password";
    for (const keyword of ["default", "const", "example", "examples"]) {
      if (!isSecret || keywordOf(schema, property, keyword) === undefined) continue;
      report(unit, [...path, "inputs", "properties", name, keyword], {
        severity: isOwnJourney(unit.document.model) ? "error" : "warning",
        code: "secret-literal",
        message: `"${name}" is a secret: remove its ${keyword} and refer to it in x-journey.secrets.`,
      });
    }
  }
}

function target(unit: Unit, reference: string): unknown {
  if (isAnchor(reference)) return anchored(unit, reference.slice(1));
  const tokens = reference.startsWith("#") ? decodePointer(reference.slice(1)) : undefined;
  return tokens === undefined ? undefined : resolvePointer(unit.document.model, tokens);
}

/** A plain name instead of a pointer: Arazzo 1.1, "Resolving URI Fragments". */
function isAnchor(reference: string): boolean {
  return /^#[A-Za-z_][\w.-]*$/.test(reference);
}

/** The schema with this `$anchor` among the inputs of the document. */
function anchored(unit: Unit, name: string): unknown {
  const { components, workflows } = unit.document.model;
  const stack: { value: unknown; depth: number }[] = [
    { value: components?.inputs, depth: 0 },
    ...workflows.map(({ inputs }) => ({ value: inputs, depth: 0 })),
  ];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { value, depth } = next;
    if (typeof value !== "object" || value === null || depth > DEPTH_MAX) continue;
    if (ownValue(value, "$anchor") === name) return value;
    for (const member of Object.values(value)) stack.push({ value: member, depth: depth + 1 });
  }
  return undefined;
}

function standAlone(unit: Unit, path: Path, schema: unknown): Record<string, unknown> | undefined {
  if (schema === undefined) return undefined;
  const definitions: Record<string, unknown> = {};
  const names = new Map<string, string>();
  const visit = (value: unknown, depth: number): unknown => {
    if (depth > DEPTH_MAX) return true;
    if (Array.isArray(value)) return value.map((item) => visit(item, depth + 1));
    if (!isObject(value)) return value;
    const result: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(value)) {
      // Every reference leads into $defs afterwards; two anchors of one name would be a fault there.
      if (key === "$anchor" && typeof item === "string") continue;
      const isReference =
        key === "$ref" && typeof item === "string" && (item.startsWith("#/") || isAnchor(item));
      result[key] = isReference ? referTo(item, depth) : visit(item, depth + 1);
      if (key === "$ref" && typeof item === "string" && !isReference && item !== "#") {
        report(unit, path, {
          code: "unresolvable-reference",
          message: `"${item}" is outside this document: nothing is fetched.`,
        });
      }
    }
    return result;
  };
  const referTo = (reference: string, depth: number): string => {
    const known = names.get(reference);
    if (known !== undefined) return `#/$defs/${known}`;
    const name = reference.replace(/^#\/?/, "").replaceAll(/[^A-Za-z0-9_.-]/g, ".");
    names.set(reference, name);
    const found = target(unit, reference);
    if (found === undefined) {
      report(unit, path, { code: "unresolvable-reference", message: `"${reference}" leads nowhere.` });
    }
    definitions[name] = visit(found ?? true, depth + 1);
    return `#/$defs/${name}`;
  };
  const result = visit(schema, 0);
  const whole = isObject(result) ? result : {};
  return names.size === 0 ? whole : { ...whole, $defs: { ...recordOf(whole["$defs"]), ...definitions } };
}

function recordOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
