import { isObject, type JsonObject, type JsonValue } from "@waymark/openapi/json.ts";

/** Members whose own members have names of the author's choice, such as properties: one of them can be called "example". */
const MAPS = new Set(
  (
    "$defs definitions dependencies dependentSchemas patternProperties properties callbacks content encoding headers mediaTypes " +
    "pathItems paths requestBodies responses schemas variables webhooks x-bundled x-webhooks"
  ).split(" "),
);
/** Members that are data, or that refer to names: nothing in them is an example. */
const DATA =
  /^(?:const|default|dependentRequired|discriminator|enum|links|scopes|security|securityDefinitions|securitySchemes|x-.*)$/;
const EXAMPLES = new Set(["example", "examples"]);

/**
 * Returns a description without the examples of its schemas, parameters, headers, bodies and responses. Equal parts that the description
 * shares stay shared.
 */
export function dropExamples(description: JsonObject): JsonObject {
  const known = { part: new Map<object, JsonValue>(), map: new Map<object, JsonValue>() };
  const dropped = (value: JsonValue, kind: "part" | "map"): JsonValue => {
    if (typeof value !== "object" || value === null) return value;
    const before = known[kind].get(value);
    if (before !== undefined) return before;
    const after: JsonValue = Array.isArray(value)
      ? value.map((item) => dropped(item, "part"))
      : Object.fromEntries(
          Object.entries(value)
            .filter(([key]) => kind === "map" || !EXAMPLES.has(key))
            .map(([key, item]) => [key, kind === "map" ? dropped(item, "part") : member(key, item)]),
        );
    known[kind].set(value, after);
    return after;
  };
  const member = (key: string, value: JsonValue): JsonValue => {
    if (MAPS.has(key)) return dropped(value, "map");
    // In an operation they are a list, and among components they have names.
    if (key === "parameters" && isObject(value)) return dropped(value, "map");
    return DATA.test(key) ? value : dropped(value, "part");
  };
  const result = dropped(description, "part");
  return isObject(result) ? result : {};
}
