import { type JsonValue, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { Finding } from "./pair-result.ts";
import type { Shape } from "./shape.ts";

/** Compares how values are written as XML. The prefix of a namespace has no meaning, and a name that is not set is the property's. */
export function compareXml(before: readonly Shape[], after: readonly Shape[]): Finding[] {
  const [old, next] = [xmlOf(before), xmlOf(after)];
  const [oldText, newText] = [describe(old), describe(next)];
  if (oldText === newText) return [];
  const names = [old, next].map((xml) => ownString(xml, "name"));
  const onlyNamed = describe(old, true) === describe(next, true) && names.includes(undefined);
  return [
    {
      kind: "xml-changed",
      effect: onlyNamed ? "unknown" : "both",
      keyword: "xml",
      before: `xml: ${oldText}`,
      after: `xml: ${newText}`,
      reason: onlyNamed ? "a name that is not set is the one of the property" : undefined,
    },
  ];
}

function xmlOf(shapes: readonly Shape[]): JsonValue {
  return shapes.map(({ annotations }) => annotations.xml).find((xml) => xml !== undefined) ?? null;
}

function describe(xml: JsonValue, isNameless = false): string {
  const parts = [
    isNameless ? undefined : ownString(xml, "name"),
    ownString(xml, "namespace"),
    ownString(xml, "nodeType"),
    ...["attribute", "wrapped"].filter((key) => ownValue(xml, key) === true),
  ];
  return parts.filter((part) => part !== undefined).join(" ") || "not set";
}
