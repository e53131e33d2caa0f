import path from "node:path";
import { isObject, type JsonObject, type JsonValue, ownObject, ownString } from "@waymark/openapi/json.ts";
import { encodePointer } from "@waymark/openapi/pointer.ts";
import { HTTP_METHODS } from "@waymark/shared/scans/limits.ts";
import type { HttpMethod } from "@waymark/shared/scans/schema.ts";
import { CliError } from "../lib/cli-error.ts";
import { pruneComponents } from "./prune-components.ts";
import type { Located, ResolveReference, SourceFile } from "./reference-files.ts";

export interface BundleOptions {
  spec: SourceFile;
  resolve: ResolveReference;
  /** True for the operations that stay; undefined if all of them do. */
  isSelected: ((path: string, method: HttpMethod) => boolean) | undefined;
}

/** The member of a bundle with the values of other files. */
const BUNDLED = "x-bundled";
const METHODS = new Map(HTTP_METHODS.map((method) => [method.toLowerCase(), method]));
/** The members of a path item that are no operations. */
const ITEM_FIELDS = new Set(["summary", "description", "servers", "parameters"]);
/** A value of a discriminator's mapping that is the name of a schema. Any other one is a reference. */
const SCHEMA_NAME = /^[\w-]+$/;
const HOPS_MAX = 50;

/**
 * Returns a description with all that it refers to in other files, as one value. What a selection leaves out is not in it: operations,
 * webhooks, and components and tags that only these use. References that can't be followed stay as they are.
 */
export async function bundle({ spec, resolve, isSelected }: BundleOptions): Promise<JsonObject> {
  const root = spec.document.value;
  if (!isObject(root)) return {};
  const references = new References(spec, resolve);
  const { paths, ...rest } = root;
  const items = isSelected === undefined ? undefined : await selectItems(references, paths ?? {}, isSelected);
  const parts: { name: string; member: JsonValue }[] = Object.entries(
    items === undefined ? root : withoutWebhooks(rest),
  ).map(([name, member]) => ({ name, member }));
  await references.follow([
    ...parts.map(({ member }) => ({ value: member, source: spec })),
    ...(items ?? []).flatMap(({ members }) => members),
  ]);
  const copied: JsonObject = Object.fromEntries(
    parts.map(({ name, member }) => [name, references.copy(member, spec)]),
  );
  if (items !== undefined) {
    copied["paths"] = Object.fromEntries(
      items.map((item) => [
        item.path,
        Object.fromEntries(
          item.members.map(({ name, value, source }) => [name, references.copy(value, source)]),
        ),
      ]),
    );
  }
  const bundled = references.bundled();
  // A description that was bundled before has the member already.
  if (Object.keys(bundled).length > 0) copied[BUNDLED] = { ...ownObject(copied, BUNDLED), ...bundled };
  return items === undefined ? copied : pruneComponents(copied, BUNDLED);
}

function withoutWebhooks(root: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(root).filter(([name]) => !/^(?:x-)?webhooks$/.test(name)));
}

interface Item {
  path: string;
  members: { name: string; value: JsonValue; source: SourceFile }[];
}

/** Returns the path items with an operation that stays, without the others. What a path item refers to is in it. */
async function selectItems(
  references: References,
  paths: JsonValue,
  isSelected: NonNullable<BundleOptions["isSelected"]>,
): Promise<Item[]> {
  const items: Item[] = [];
  for (const layer of await references.layers(paths)) {
    for (const [name, value] of Object.entries(isObject(layer.value) ? layer.value : {})) {
      if (name === "$ref" || name.startsWith("x-") || items.some((item) => item.path === name)) continue;
      const members = new Map<string, Item["members"][number]>();
      for (const at of await references.layers(value, layer.source)) {
        for (const [key, member] of Object.entries(isObject(at.value) ? at.value : {})) {
          const method = METHODS.get(key);
          const stays = method === undefined ? ITEM_FIELDS.has(key) : isSelected(name, method);
          if (stays && !members.has(key)) members.set(key, { name: key, value: member, source: at.source });
        }
      }
      if ([...members.keys()].some((key) => METHODS.has(key)))
        items.push({ path: name, members: [...members.values()] });
    }
  }
  return items;
}

interface Sourced {
  value: JsonValue;
  source: SourceFile;
}

/** The references of a description, and what they lead to. */
class References {
  readonly #spec: SourceFile;
  readonly #resolve: ResolveReference;
  readonly #targets = new Map<string, Located | undefined>();
  /** The values of other files by their file and pointer. */
  readonly #names = new Map<string, { name: string; at: Located }>();
  readonly #takenNames: Set<string>;
  readonly #copies = new WeakMap<object, JsonValue>();

  constructor(spec: SourceFile, resolve: ResolveReference) {
    this.#spec = spec;
    this.#resolve = resolve;
    this.#takenNames = new Set(Object.keys(ownObject(spec.document.value, BUNDLED) ?? {}));
  }

  /** Lists a value and those that its `$ref`s lead to. */
  async layers(value: JsonValue, source: SourceFile = this.#spec): Promise<Sourced[]> {
    const layers: Sourced[] = [{ value, source }];
    for (let hops = 0; hops < HOPS_MAX; hops++) {
      const last = layers.at(-1);
      const reference = isObject(last?.value) ? last.value["$ref"] : undefined;
      if (last === undefined || typeof reference !== "string") break;
      const target = await this.#target(reference, last.source);
      if (target === undefined) break;
      layers.push({ value: asJson(target.value), source: target.source });
    }
    return layers;
  }

  /** Follows the references of values to other files, and those of what they lead to. */
  async follow(values: readonly Sourced[]): Promise<void> {
    const visited = new Set<object>();
    const stack: Sourced[] = [...values];
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      const { value, source } = at;
      if (typeof value !== "object" || value === null || visited.has(value)) continue;
      visited.add(value);
      for (const reference of referencesOf(value)) {
        if (this.#isOwn(reference, source)) continue;
        const target = await this.#target(reference, source);
        if (target !== undefined) stack.push({ value: asJson(target.value), source: target.source });
      }
      for (const item of Object.values(value)) stack.push({ value: item, source });
    }
  }

  /** Copies a value with its references made those of the bundle. */
  copy(value: JsonValue, source: SourceFile): JsonValue {
    if (typeof value !== "object" || value === null) return value;
    const known = this.#copies.get(value);
    if (known !== undefined) return known;
    const copied: JsonValue = Array.isArray(value)
      ? value.map((item) => this.copy(item, source))
      : Object.fromEntries(
          Object.entries(value).map(([key, item]) => [key, this.#copyMember(key, item, source)]),
        );
    this.#copies.set(value, copied);
    return copied;
  }

  /** Returns the values of other files by their names. */
  bundled(): JsonObject {
    const bundled: [string, JsonValue][] = [];
    // Copying one can name another one, which the loop reaches, too.
    for (const { name, at } of this.#names.values())
      bundled.push([name, this.copy(asJson(at.value), at.source)]);
    return Object.fromEntries(bundled);
  }

  #copyMember(key: string, value: JsonValue, source: SourceFile): JsonValue {
    if (key === "$ref" && typeof value === "string") return this.#rewritten(value, source);
    if (key === "discriminator" && isObject(value)) return this.#copyDiscriminator(value, source);
    return this.copy(value, source);
  }

  #copyDiscriminator(value: JsonObject, source: SourceFile): JsonValue {
    const copied = this.copy(value, source);
    const mapping = ownObject(value, "mapping");
    if (!isObject(copied) || mapping === undefined) return copied;
    const rewritten = Object.entries(mapping).map(([key, target]) => [
      key,
      isMappedReference(target) ? this.#rewritten(target, source) : target,
    ]);
    return { ...copied, mapping: Object.fromEntries(rewritten) };
  }

  #rewritten(reference: string, source: SourceFile): string {
    if (this.#isOwn(reference, source)) return reference;
    const target = this.#targets.get(keyOf(reference, source));
    if (target === undefined) return reference;
    const pointer = encodePointer(target.path);
    if (target.source.file === this.#spec.file) return `#${encodeURI(pointer)}`;
    const id = `${target.source.file}#${pointer}`;
    const named = this.#names.get(id) ?? { name: this.#newName(target), at: target };
    this.#names.set(id, named);
    return `#/${BUNDLED}/${named.name}`;
  }

  #newName({ path: tokens, source }: Located): string {
    const base = path.basename(source.file).replace(/\.[^.]*$/, "");
    const wanted = (tokens.at(-1) ?? base).replaceAll(/[^\w.-]/g, "_");
    let name = wanted;
    for (let n = 2; this.#takenNames.has(name); n++) name = `${wanted}-${n}`;
    this.#takenNames.add(name);
    return name;
  }

  /** True for a reference within the description's own file. */
  #isOwn(reference: string, source: SourceFile): boolean {
    return reference.startsWith("#") && source.file === this.#spec.file;
  }

  async #target(reference: string, source: SourceFile): Promise<Located | undefined> {
    const key = keyOf(reference, source);
    if (this.#targets.has(key)) return this.#targets.get(key);
    let target: Located | undefined;
    try {
      target = await this.#resolve(reference, source, "");
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
    }
    this.#targets.set(key, target);
    return target;
  }
}

/** Lists the references of a value itself: its `$ref`, and those in the mapping of its discriminator. */
function referencesOf(value: JsonValue): string[] {
  const mapping = ownObject(ownObject(value, "discriminator"), "mapping") ?? {};
  return [ownString(value, "$ref"), ...Object.values(mapping).filter(isMappedReference)].filter(
    (reference) => typeof reference === "string",
  );
}

function isMappedReference(target: unknown): target is string {
  return typeof target === "string" && !SCHEMA_NAME.test(target);
}

function keyOf(reference: string, source: SourceFile): string {
  return `${source.file}\n${reference}`;
}

function asJson(value: unknown): JsonValue {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parsers return JSON values only
  return value as JsonValue;
}
