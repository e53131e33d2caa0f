import type { At, Description } from "@waymark/contract-diff/read/description.ts";
import type { Conjunction, SchemaNode } from "@waymark/contract-diff/read/node.ts";
import { isObject, ownArray, ownString, ownValue } from "@waymark/openapi/json.ts";
import { valueAt } from "@waymark/openapi/pointer.ts";
import { factsOf, itemsOf, typeOf } from "./describe-schema.ts";
import type { SchemaEntry, SchemaGroup, SchemaView } from "./messages.ts";

/** The limit of the schemas that apply together, and of those that are inside of each other as lists. */
const LAYERS_MAX = 100;
/** The limit of the entries of a group. */
const ENTRIES_MAX = 500;
/** Keywords whose schemas unfolding shows. */
const INSIDE = [
  "properties",
  "patternProperties",
  "oneOf",
  "anyOf",
  "not",
  "if",
  "prefixItems",
  "contains",
  "dependentSchemas",
  "propertyNames",
];
/** Keywords that have a schema or a flag. */
const INSIDE_IF_SCHEMA = ["additionalProperties", "unevaluatedProperties", "unevaluatedItems"];

/** Reads the schemas of a description one level at a time, as they are unfolded. So a recursive schema needs no limit of its depth. */
export class SchemaReader {
  readonly #description: Description;
  /** The schemas of forms of Swagger 2.0, which stand nowhere in the description. */
  readonly #forms = new Map<string, SchemaNode>();

  constructor(description: Description) {
    this.#description = description;
  }

  /** Returns a schema without what is inside it. Where there is no schema, any value is allowed. */
  view(schema: Conjunction): SchemaView {
    const [node] = schema;
    if (node === undefined)
      return { type: "any value", facts: [], description: null, deprecated: false, opens: null };
    const layers = this.#layers(node);
    const written = layers.map(({ value }) => value);
    return {
      type: typeOf(this.#description, layers),
      facts: factsOf(layers),
      description: firstText(written, "description") ?? firstText(written, "title") ?? null,
      deprecated: ownValue(node.value, "deprecated") === true,
      opens: this.#opens(node, layers),
    };
  }

  /** Returns what is inside a schema, by the place that a view has; undefined for a form that no view has named yet. */
  groups(opens: string): SchemaGroup[] | undefined {
    const node = this.#forms.get(opens) ?? this.#nodeAt(opens);
    if (node === undefined) return undefined;
    const layers = this.#layers(node);
    const of = (key: string) => layers.flatMap((layer) => this.#members(layer, key));
    const single = (key: string) => layers.flatMap((layer) => this.#single(layer, key));
    return [
      group("Properties", this.#properties(layers)),
      group("Properties whose names match", this.#named(of("patternProperties"))),
      group(
        "Other properties",
        this.#unnamed([...single("additionalProperties"), ...single("unevaluatedProperties")]),
      ),
      group("Names of properties", this.#unnamed(single("propertyNames"))),
      group("Items by position", this.#named(of("prefixItems"))),
      group("Each item", this.#unnamed([...single("items"), ...single("unevaluatedItems")])),
      group("Has an item", this.#unnamed(single("contains"))),
      group("One of", this.#unnamed(of("oneOf").map(([, at]) => at))),
      group("Any of", this.#unnamed(of("anyOf").map(([, at]) => at))),
      group("Not", this.#unnamed(single("not"))),
      group("If", this.#unnamed(single("if"))),
      group("Then", this.#unnamed(single("then"))),
      group("Else", this.#unnamed(single("else"))),
      group("If it has the property", this.#named(of("dependentSchemas"))),
    ].filter(({ entries }) => entries.length > 0);
  }

  /** Returns the schema and those that apply with it: by `allOf`, and by a reference with siblings. */
  #layers(node: SchemaNode): SchemaNode[] {
    const layers = new Map<number, SchemaNode>();
    const queue = [node];
    for (let next = queue.shift(); next !== undefined && layers.size < LAYERS_MAX; next = queue.shift()) {
      if (layers.has(next.id)) continue;
      layers.set(next.id, next);
      const reference = ownString(next.value, "$ref");
      const target = reference === undefined ? undefined : this.#description.target(reference, next.file);
      if (target !== undefined) queue.push(this.#description.node(target));
      queue.push(...this.#members(next, "allOf").map(([, at]) => this.#description.node(at)));
    }
    return [...layers.values()];
  }

  /** Returns the schema that unfolding shows: of lists that have nothing else inside, the innermost item. */
  #opens(from: SchemaNode, fromLayers: readonly SchemaNode[]): string | null {
    let [node, layers] = [from, fromLayers];
    for (let depth = 0; depth < LAYERS_MAX; depth++) {
      if (hasInside(layers)) return this.#placeOf(node);
      const items = itemsOf(this.#description, layers);
      if (items === undefined) return null;
      node = items;
      layers = this.#layers(items);
    }
    return null;
  }

  #placeOf(node: SchemaNode): string {
    if (valueAt(this.#description.root, node.pointer) === node.value) return node.pointer;
    const place = `form ${node.pointer}`;
    this.#forms.set(place, node);
    return place;
  }

  #nodeAt(pointer: string): SchemaNode | undefined {
    const value = valueAt(this.#description.root, pointer);
    return value === undefined ? undefined : this.#description.node({ value, file: "", pointer });
  }

  #properties(layers: readonly SchemaNode[]): SchemaEntry[] {
    const required = new Set(layers.flatMap(({ value }) => ownArray(value, "required")));
    const found = new Map<string, SchemaEntry>();
    for (const layer of layers) {
      for (const [name, at] of this.#members(layer, "properties")) {
        if (!found.has(name))
          found.set(name, { name, required: required.has(name), schema: this.#viewAt(at) });
      }
    }
    return [...found.values()];
  }

  #named(members: readonly (readonly [string, At])[]): SchemaEntry[] {
    return members.map(([name, at]) => ({ name, required: false, schema: this.#viewAt(at) }));
  }

  #unnamed(schemas: readonly At[]): SchemaEntry[] {
    return schemas.map((at) => ({ name: "", required: false, schema: this.#viewAt(at) }));
  }

  #viewAt(at: At): SchemaView {
    return this.view([this.#description.node(at)]);
  }

  /** Returns the members of a keyword's object or list, references not followed. */
  #members({ value, file, pointer }: SchemaNode, key: string): [string, At][] {
    const at = this.#description.child({ value, file, pointer }, key);
    if (at === undefined || typeof at.value !== "object" || at.value === null) return [];
    return Object.keys(at.value).flatMap((name) => {
      const child = this.#description.child(at, name);
      return child === undefined ? [] : [[name, child] satisfies [string, At]];
    });
  }

  #single({ value, file, pointer }: SchemaNode, key: string): At[] {
    const at = this.#description.child({ value, file, pointer }, key);
    return at !== undefined && isObject(at.value) ? [at] : [];
  }
}

function hasInside(layers: readonly SchemaNode[]): boolean {
  return layers.some(
    ({ value }) =>
      INSIDE.some((key) => {
        const inside = ownValue(value, key);
        return typeof inside === "object" && inside !== null && Object.keys(inside).length > 0;
      }) || INSIDE_IF_SCHEMA.some((key) => isObject(ownValue(value, key))),
  );
}

function firstText(values: readonly SchemaNode["value"][], key: string): string | undefined {
  for (const value of values) {
    const text = ownString(value, key);
    if (text !== undefined && text !== "") return text;
  }
  return undefined;
}

function group(title: string, entries: readonly SchemaEntry[]): SchemaGroup {
  return { title, entries: entries.slice(0, ENTRIES_MAX), more: Math.max(0, entries.length - ENTRIES_MAX) };
}
