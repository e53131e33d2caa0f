import { ownValue, type JsonValue } from "@waymark/openapi/json.ts";

/** Returns whether something is deprecated, and the day on which it ends, as written. */
export function readLifecycle(value: JsonValue): { deprecated: boolean; sunset: string | undefined } {
  const sunset = ownValue(value, "x-sunset") ?? ownValue(value, "sunset") ?? ownValue(value, "Sunset");
  return {
    deprecated: ownValue(value, "deprecated") === true,
    sunset:
      sunset === undefined || sunset === null
        ? undefined
        : typeof sunset === "string"
          ? sunset
          : JSON.stringify(sunset),
  };
}
