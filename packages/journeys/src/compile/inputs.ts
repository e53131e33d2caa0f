import { isObject, ownObject } from "@waymark/openapi/json.ts";
import { resolveSchema } from "../document/schema-references.ts";
import type { Workflow } from "../document/model.ts";
import { report } from "./unit.ts";
import type { Path, Unit } from "./unit.ts";

const DEPTH_MAX = 100;
const NAMES = new Set(["$id", "$anchor", "$dynamicAnchor"]);

/**
 * The self-contained JSON Schema of a workflow's inputs: every reference into the document becomes one into its own `$defs`.
 * Reports references that can't be resolved.
 */
export function compileInputs(
  unit: Unit,
  path: Path,
  { inputs: schema }: Workflow,
): Record<string, unknown> | undefined {
  return typeof schema === "boolean" ? ofBoolean(schema) : standAlone(unit, [...path, "inputs"], schema);
}

/** `true` requires nothing, like no schema at all; `false` refuses any inputs. */
function ofBoolean(schema: boolean): Record<string, unknown> | undefined {
  return schema ? undefined : { not: {} };
}

function standAlone(unit: Unit, path: Path, schema: unknown): Record<string, unknown> | undefined {
  if (schema === undefined) return undefined;
  const definitions: Record<string, unknown> = {};
  /** Names of definitions, by the schemas that they are. */
  const names = new Map<unknown, string>();
  /** Definitions that are still to be made: a chain of references may be longer than the stack. */
  const waiting: { name: string; schema: unknown }[] = [];
  const visit = (value: unknown, depth: number): unknown => {
    if (depth > DEPTH_MAX) return true;
    if (Array.isArray(value)) return value.map((item) => visit(item, depth + 1));
    if (!isObject(value)) return value;
    const result: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(value)) {
      // Afterwards every reference leads into $defs: names and bases would only collide there.
      if (NAMES.has(key) && typeof item === "string") continue;
      const isReference = (key === "$ref" || key === "$dynamicRef") && typeof item === "string";
      // A $dynamicRef becomes a $ref to the schema that it means where nothing overrides it.
      if (isReference) result["$ref"] = item === "#" ? item : referTo(item, value);
      else result[key] = visit(item, depth + 1);
    }
    return result;
  };
  const referTo = (reference: string, from: unknown): string => {
    const found = resolveSchema(unit.document.model, reference, from);
    if (found === undefined) reportReference(unit, path, reference);
    const known = found === undefined ? undefined : names.get(found);
    if (known !== undefined) return `#/$defs/${known}`;
    let name = reference.replace(/^#\/?/, "").replaceAll(/[^A-Za-z0-9_.-]/g, ".");
    while (Object.hasOwn(definitions, name)) name += "_";
    if (typeof found === "object" && found !== null) names.set(found, name);
    definitions[name] = true;
    waiting.push({ name, schema: found ?? true });
    return `#/$defs/${name}`;
  };
  const result = visit(schema, 0);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    definitions[next.name] = visit(next.schema, 0);
  const whole = isObject(result) ? result : {};
  return Object.keys(definitions).length === 0
    ? whole
    : { ...whole, $defs: { ...ownObject(whole, "$defs"), ...definitions } };
}

function reportReference(unit: Unit, path: Path, reference: string): void {
  const message = reference.startsWith("#")
    ? `"${reference}" leads nowhere.`
    : `"${reference}" is outside this document: nothing is fetched.`;
  report(unit, path, { code: "unresolvable-reference", message });
}
