import { isObject, ownString, ownValue, type JsonValue } from "@waymark/openapi/json.ts";
import type { DuplicateKey } from "@waymark/openapi/parse/duplicate-keys.ts";
import { childPointer, valueAt } from "@waymark/openapi/pointer.ts";
import { findBySelf, indexBySelf, splitReference } from "@waymark/openapi/references.ts";
import { type Conjunction, type Dialect, nextNodeId, type Place, type SchemaNode } from "./node.ts";
import { resolveFile } from "./files.ts";

/** A parsed file of a description. */
export interface ContractFile {
  /** Empty for the entry file, else its path relative to it. */
  name: string;
  value: JsonValue;
  text: string;
  duplicateKeys: readonly DuplicateKey[];
}

/** A value with its place, references not followed. */
export interface At {
  value: JsonValue;
  file: string;
  pointer: string;
}

/** A path item and those that its `$ref`s lead to: the first that has a field counts. */
export type Item = readonly At[];

const HOPS_MAX = 50;
/** Keywords beside a `$ref` that restrict no value. */
const ANNOTATIONS = new Set(["$ref", "description", "summary", "title", "example", "examples", "$comment"]);
const COMPONENT = /^\/(?:components\/schemas|definitions|\$defs)\/([^/]+)$/;

/** A description with its files, and the schemas that were read from it. */
export class Description {
  readonly root: JsonValue;
  readonly dialect: Dialect;
  /** References that were met and lead nowhere. */
  readonly unresolved = new Set<string>();
  /** References that lead nowhere, those of schemas included. */
  readonly missing = new Set<string>();
  readonly contractFiles: readonly ContractFile[];
  readonly #texts: ReadonlyMap<string, string>;
  readonly #files: ReadonlyMap<string, JsonValue>;
  /** The files by their `$self`. */
  readonly #selves: ReadonlyMap<string, string>;
  readonly #nodes = new WeakMap<object, SchemaNode>();
  readonly #scalars = new Map<string, SchemaNode>();
  readonly #anchors = new Map<string, Map<string, At>>();
  #extensions: Map<number, SchemaNode[]> | undefined;

  constructor(files: readonly ContractFile[], dialect: Dialect) {
    this.contractFiles = files;
    this.#files = new Map(files.map(({ name, value }) => [name, value]));
    this.#texts = new Map(files.map(({ name, text }) => [name, text]));
    this.#selves = indexBySelf(this.#files);
    this.root = this.#files.get("") ?? null;
    this.dialect = dialect;
  }

  textOf(file: string): string | undefined {
    return this.#texts.get(file);
  }

  /** Returns the first place of each of these references in the files. */
  placesOfReferences(references: ReadonlySet<string>): Map<string, Place> {
    const places = new Map<string, Place>();
    const visited = new Set<object>();
    for (const [file, value] of this.#files) {
      const stack: At[] = [{ value, file, pointer: "" }];
      for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
        if (places.size === references.size) return places;
        const { value: container, pointer } = at;
        if (typeof container !== "object" || container === null || visited.has(container)) continue;
        visited.add(container);
        const reference = ownString(container, "$ref");
        if (reference !== undefined && references.has(reference) && !places.has(reference))
          places.set(reference, { file, pointer });
        // The last one that is pushed is the next one that is read.
        for (const [key, item] of Object.entries(container).toReversed())
          stack.push({ value: item, file, pointer: childPointer(pointer, key) });
      }
    }
    return places;
  }

  rootAt(): At {
    return { value: this.root, file: "", pointer: "" };
  }

  /** Returns a member with its references followed; undefined if there is none, or if it leads nowhere. */
  member(at: At | undefined, key: string): At | undefined {
    const child = at === undefined ? undefined : this.child(at, key);
    return child === undefined ? undefined : this.follow(child);
  }

  child(at: At, key: string): At | undefined {
    const value = ownValue(at.value, key);
    return value === undefined ? undefined : { value, file: at.file, pointer: childPointer(at.pointer, key) };
  }

  /** Returns the members of an object or the items of an array, references followed. Those that lead nowhere are left out. */
  members(at: At | undefined): [string, At][] {
    if (at === undefined || typeof at.value !== "object" || at.value === null) return [];
    return Object.keys(at.value).flatMap((key) => {
      const child = this.member(at, key);
      return child === undefined ? [] : [[key, child] satisfies [string, At]];
    });
  }

  /** Returns the members of an object as path items. Those that lead nowhere are left out. */
  items(at: At | undefined): [string, Item][] {
    if (at === undefined || !isObject(at.value)) return [];
    return Object.keys(at.value).flatMap((key) => {
      const child = this.child(at, key);
      const layers = child === undefined ? undefined : this.#layers(child);
      return layers === undefined ? [] : [[key, layers] satisfies [string, Item]];
    });
  }

  /** Returns a member of a path item with its references followed. */
  itemMember(item: Item, key: string): At | undefined {
    return this.member(
      item.find(({ value }) => ownValue(value, key) !== undefined),
      key,
    );
  }

  /** Follows `$ref`s until a value without one; undefined if one leads nowhere or into a circle. */
  follow(from: At): At | undefined {
    return this.#layers(from)?.at(-1);
  }

  #layers(from: At): At[] | undefined {
    const layers = [from];
    let current = from;
    for (let hops = 0; hops < HOPS_MAX; hops++) {
      const reference = ownValue(current.value, "$ref");
      if (typeof reference !== "string") return layers;
      const target = this.target(reference, current.file);
      if (target === undefined) {
        this.unresolved.add(reference);
        this.missing.add(reference);
        return undefined;
      }
      current = target;
      layers.push(current);
    }
    return undefined;
  }

  target(reference: string, file: string): At | undefined {
    const { target, pointer } = splitReference(reference);
    const named = target === "" ? file : findBySelf(this.#selves, this.#files.get(file), target);
    const next = named ?? resolveFile(file, target);
    const document = this.#files.get(next);
    if (document === undefined) return undefined;
    if (pointer !== "" && !pointer.startsWith("/")) return this.#anchor(next, pointer);
    const value = valueAt(document, pointer);
    return value === undefined ? undefined : { value, file: next, pointer };
  }

  /** Returns the schema at a place: a `$ref` without effective siblings is the schema that it leads to. */
  node(at: At): SchemaNode {
    const { value } = at;
    if (!isObject(value)) return this.#scalarNode(at);
    const known = this.#nodes.get(value);
    if (known !== undefined) return known;
    const node = this.#resolvedNode(at);
    this.#nodes.set(value, node);
    return node;
  }

  /** Returns the schema in a member; no schema allows everything. */
  schema(at: At | undefined, key: string): Conjunction {
    const child = at === undefined ? undefined : this.child(at, key);
    return child === undefined ? [] : [this.node(child)];
  }

  /** Returns the schema that a discriminator's mapping names: by a reference, or by the name of a component. */
  mapped(target: string, file: string): SchemaNode | undefined {
    const reference = this.mappedReference(target);
    const at = this.target(reference, reference === target ? file : "");
    return at === undefined ? undefined : this.node(at);
  }

  /** Returns the components that extend a schema by `allOf`, and those that extend these. */
  extensionsOf(node: SchemaNode): readonly SchemaNode[] {
    this.#extensions ??= this.#listExtensions();
    const found = new Set<SchemaNode>();
    const queue = [node];
    for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
      for (const each of this.#extensions.get(at.id) ?? []) {
        if (each === node || found.has(each)) continue;
        found.add(each);
        queue.push(each);
      }
    }
    return [...found];
  }

  /** Returns the references to the components that extend the schema with this value. */
  extensionReferences(value: object): string[] {
    // Listing them reads the components.
    this.#extensions ??= this.#listExtensions();
    const node = this.#nodes.get(value);
    const names = node === undefined ? [] : this.extensionsOf(node).map(({ name }) => name ?? "");
    return names.map((name) => `${this.#schemasPointer()}/${name}`).toSorted();
  }

  /** Returns the reference that a discriminator's mapping means: it may be the name of a component. */
  mappedReference(target: string): string {
    const byName = `${this.#schemasPointer()}/${target}`;
    return /^[\w.-]+$/.test(target) && this.target(byName, "") !== undefined ? byName : target;
  }

  #schemasPointer(): string {
    return this.dialect === "2.0" ? "#/definitions" : "#/components/schemas";
  }

  #listExtensions(): Map<number, SchemaNode[]> {
    const extensions = new Map<number, SchemaNode[]>();
    const schemas = this.target(this.#schemasPointer(), "");
    for (const name of isObject(schemas?.value) ? Object.keys(schemas.value) : []) {
      const at = schemas === undefined ? undefined : this.child(schemas, name);
      const parts = at === undefined ? undefined : this.child(at, "allOf");
      if (at === undefined || !Array.isArray(parts?.value)) continue;
      for (const index of parts.value.keys()) {
        const part = this.child(parts, String(index));
        const base = part === undefined ? undefined : this.node(part).id;
        if (base !== undefined) extensions.set(base, [...(extensions.get(base) ?? []), this.node(at)]);
      }
    }
    return extensions;
  }

  #resolvedNode(at: At): SchemaNode {
    let current = at;
    for (let hops = 0; hops < HOPS_MAX; hops++) {
      const reference = ownValue(current.value, "$ref");
      if (typeof reference !== "string" || (hops > 0 && hasSiblings(current.value, this.dialect))) {
        return hops > 0 ? this.node(current) : this.#make(current);
      }
      if (hasSiblings(current.value, this.dialect)) return this.#make(current);
      const target = this.target(reference, current.file);
      if (target === undefined) {
        this.missing.add(reference);
        return { ...this.#make(at), unresolved: reference };
      }
      current = target;
    }
    return { ...this.#make(at), unresolved: ownString(at.value, "$ref") ?? "" };
  }

  #make({ value, file, pointer }: At): SchemaNode {
    const name = COMPONENT.exec(pointer)?.[1];
    return { id: nextNodeId(), value, owner: this, file, pointer, dialect: this.dialect, name };
  }

  #scalarNode(at: At): SchemaNode {
    const key = JSON.stringify([at.file, at.pointer]);
    const known = this.#scalars.get(key);
    if (known !== undefined) return known;
    const node = this.#make(at);
    this.#scalars.set(key, node);
    return node;
  }

  #anchor(file: string, name: string): At | undefined {
    let anchors = this.#anchors.get(file);
    if (anchors === undefined) {
      anchors = listAnchors({ value: this.#files.get(file) ?? null, file, pointer: "" });
      this.#anchors.set(file, anchors);
    }
    return anchors.get(name);
  }
}

function hasSiblings(value: JsonValue, dialect: Dialect): boolean {
  return dialect === "3.1" && isObject(value) && Object.keys(value).some((key) => !ANNOTATIONS.has(key));
}

/** Lists `$anchor` and `$dynamicAnchor` of a file. Iterative: the depth of a file is its author's. */
function listAnchors(root: At): Map<string, At> {
  const anchors = new Map<string, At>();
  const visited = new Set<object>();
  const stack = [root];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const { value } = at;
    if (typeof value !== "object" || value === null || visited.has(value)) continue;
    visited.add(value);
    for (const key of ["$anchor", "$dynamicAnchor"]) {
      const name = ownValue(value, key);
      if (typeof name === "string") anchors.set(name, at);
    }
    for (const [key, item] of Object.entries(value)) {
      stack.push({ value: item, file: at.file, pointer: childPointer(at.pointer, key) });
    }
  }
  return anchors;
}
