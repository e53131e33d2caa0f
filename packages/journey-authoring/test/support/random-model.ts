import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import type { Random } from "./random.ts";

const VERBS = [
  "create",
  "read",
  "update",
  "list",
  "remove",
  "check",
  "approve",
  "cancel",
  "wait-for",
  "export",
] as const;
const NOUNS = ["Item", "Order", "Invoice", "Pet", "Customer", "Voucher", "Shipment"] as const;
const TEXTS = [
  "A manager creates an item and sees it",
  "It's \"quoted\", isn't it?",
  "no",
  "12",
  "true",
  "trailing colon:",
  "a # that is no comment",
  "- not a list",
  "{braces} and [brackets]",
  "Ünïcödé ✓ and a tab\tinside",
  "first line\nsecond line\n",
  "first line\n\nthird line, no break at the end",
  "  leading spaces\nthen none\n",
  "a rather long sentence that a formatter would like to fold somewhere near its eightieth column, but must not",
  "",
  "https://api.example.com/v1/items?limit=50#top",
  "$steps.notAnExpressionOfOurs and {$inputs.name}",
] as const;

/** A journey with a random number of steps that use each other; it need not make sense to an API. */
export function randomJourney(random: Random): JsonObject {
  const workflows: JsonValue[] = [workflow(random, "main", 2 + random.below(4))];
  if (random.chance(0.3)) workflows.push(workflow(random, "other", 2 + random.below(3)));
  const info: JsonObject = { title: random.pick(TEXTS) || "Untitled", version: "1.0.0" };
  if (random.chance(0.5))
    info["x-journey"] = { schema: 1, template: random.chance(0.5), tags: ["crud", "smoke"] };
  if (random.chance(0.4)) info["description"] = random.pick(TEXTS);
  const document: JsonObject = {
    arazzo: random.pick(["1.0.1", "1.1.0"]),
    info,
    sourceDescriptions: [{ name: "items", type: "openapi", url: "./items.openapi.yaml" }],
    workflows,
  };
  if (random.chance(0.3))
    document["components"] = { parameters: { page: { name: "page", in: "query", value: 1 } } };
  return document;
}

function workflow(random: Random, workflowId: string, count: number): JsonObject {
  const ids = Array.from({ length: count }, (_, index) => `${random.pick(VERBS)}${index}`);
  const steps = ids.map((id, index) => randomStep(random, id, ids.slice(0, index)));
  const made: JsonObject = { workflowId };
  if (random.chance(0.6)) made["summary"] = random.pick(TEXTS);
  if (random.chance(0.6)) {
    made["inputs"] = {
      type: "object",
      required: ["name"],
      properties: { name: { type: "string", default: "widget" } },
    };
  }
  made["steps"] = steps;
  const first = ids[0] ?? "";
  if (random.chance(0.5)) made["outputs"] = { itemId: `$steps.${first}.outputs.id` };
  if (random.chance(0.6)) {
    made["x-journey"] = {
      teardown: [{ step: ids.at(-1) ?? "", when: `$steps.${first}.outputs.id != null` }],
      acceptanceCriteria: [
        {
          id: "AC-1",
          text: random.pick(TEXTS) || "text",
          severity: "must",
          provenBy: ids.map((id) => `${id}#ok`),
        },
      ],
    };
  }
  return made;
}

/** A step that may refer to the steps before it. */
export function randomStep(random: Random, stepId: string, before: string[]): JsonObject {
  const step: JsonObject = { stepId };
  if (random.chance(0.3)) step["description"] = random.pick(TEXTS);
  step["operationId"] = `${random.pick(VERBS).replace("-", "")}${random.pick(NOUNS)}`;
  const earlier = before[random.below(Math.max(1, before.length))];
  const id = earlier === undefined ? "$inputs.name" : `$steps.${earlier}.outputs.id`;
  if (random.chance(0.6)) step["parameters"] = [{ name: "id", in: "path", value: id }];
  if (random.chance(0.5)) {
    const payload: JsonValue = random.chance(0.3)
      ? `{\n  "name": "{$inputs.name}",\n  "of": "{${id}}"\n}\n`
      : {
          name: "$inputs.name",
          of: id,
          price: 10.5,
          note: random.pick(TEXTS),
          tags: [],
          nested: { deep: [1, null, true] },
        };
    step["requestBody"] = { contentType: "application/json", payload };
  }
  const criteria: JsonValue[] = [{ "x-id": "ok", condition: "$statusCode == 200" }];
  if (random.chance(0.4)) {
    criteria.push({ context: "$response.body", type: "jsonpath", condition: `$.items[?@.id == "{${id}}"]` });
  }
  step["successCriteria"] = criteria;
  if (random.chance(0.3) && earlier !== undefined) {
    step["onFailure"] = [
      {
        name: "busy",
        type: "retry",
        retryAfter: 0.2,
        retryLimit: 3,
        criteria: [{ condition: "$statusCode == 503" }],
      },
      { name: "again", type: "goto", stepId: earlier },
    ];
  }
  if (random.chance(0.5)) step["outputs"] = { id: "$response.body#/id", version: "$response.body#/version" };
  return step;
}
