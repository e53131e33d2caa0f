import type { RequestBody } from "../document/model.ts";
import type { ValueNode } from "../expressions/ast.ts";
import { parseSelectorType, parseTemplate } from "../expressions/template.ts";
import { isJson, isXml } from "../openapi/body.ts";
import type { Operation } from "../openapi/operation.ts";
import type { ProgramBody } from "../program/program.ts";
import { sentence } from "../document/problem.ts";
import { report, valueAt } from "./unit.ts";
import type { Path, Unit } from "./unit.ts";

/** Compiles a request body. Without a contentType, the operation's are used, JSON first. */
export function compileBody(
  unit: Unit,
  path: Path,
  body: RequestBody,
  operation: Operation | undefined,
): ProgramBody {
  const offered = operation?.request ?? [];
  const preferred = offered.find(({ mediaType }) => isJson(mediaType)) ?? offered[0];
  const mediaType = body.contentType ?? concrete(preferred?.mediaType) ?? "application/json";
  const rule = offered.find((media) => bare(media.mediaType) === bare(mediaType))?.rule ?? {};
  const payload =
    body.payload === undefined ? undefined : payloadAt(unit, [...path, "payload"], body.payload, mediaType);
  const replacements: ProgramBody["replacements"] = [];
  for (const [index, replacement] of (body.replacements ?? []).entries()) {
    const at = [...path, "replacements", index];
    const target = parseTemplate(replacement.target);
    const type = parseSelectorType(
      replacement.targetSelectorType ?? (isXml(mediaType) ? "xpath" : "jsonpointer"),
    );
    if (!target.ok || type === undefined) {
      const message = target.ok ? "the targetSelectorType is not known" : target.problem.message;
      report(unit, at, { code: "invalid-expression", message: sentence(message) });
      continue;
    }
    replacements.push({
      target: target.value,
      type,
      value: valueAt(unit, [...at, "value"], replacement.value),
    });
  }
  return { mediaType, ...(payload === undefined ? {} : { payload }), rule, replacements };
}

function payloadAt(unit: Unit, path: Path, payload: unknown, mediaType: string): ValueNode {
  if (typeof payload !== "string" || !payload.includes("{$") || !isJson(mediaType)) {
    return valueAt(unit, path, payload);
  }
  // A text that begins as JSON does is the body itself.
  if (!/^\s*(?:\{(?!\$)|[["])/.test(payload)) return valueAt(unit, path, payload);
  const parsed = parseTemplate(payload);
  if (parsed.ok) return { json: parsed.value };
  report(unit, path, { code: "invalid-expression", message: sentence(parsed.problem.message) });
  return { const: null };
}

function bare(mediaType: string): string {
  return mediaType.split(";")[0]?.trim().toLowerCase() ?? "";
}

/** A range such as `image/*` can't be sent as a type. */
function concrete(mediaType: string | undefined): string | undefined {
  return mediaType?.includes("*") === true ? undefined : mediaType;
}
