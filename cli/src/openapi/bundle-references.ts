import path from "node:path";
import { isObject, type JsonObject, type JsonValue, ownObject, ownString } from "@waymark/openapi/json.ts";
import { decodePointer, encodePointer } from "@waymark/openapi/pointer.ts";
import { percentDecoded } from "@waymark/openapi/references.ts";
import { CliError, usageError } from "../lib/cli-error.ts";
import type { Located, ResolveReference, SourceFile } from "./reference-files.ts";

/** The member of a bundle with the values of other files, and of operations that a selection leaves out. */
export const BUNDLED = "x-bundled";
/** A value of a discriminator's mapping that is the name of a schema. Any other one is a reference. */
const SCHEMA_NAME = /^[\w-]+$/;
const HOPS_MAX = 50;
/** Objects and lists inside each other. The server reads no more than 500 of them. */
export const DEPTH_MAX = 500;

/** A value with the place that it has in its file. */
export interface Sourced {
  value: JsonValue;
  source: SourceFile;
  path: readonly string[];
}

/** The references of a description, and what they lead to. */
export class References {
  readonly #spec: SourceFile;
  readonly #resolve: ResolveReference;
  /** True for places of the description itself that its bundle has, too. */
  readonly #stays: (path: readonly string[]) => boolean;
  readonly #targets = new Map<string, Located | undefined>();
  /** The values that are moved into the bundle's own member, by their file and pointer. */
  readonly #names = new Map<string, { name: string; at: Located }>();
  readonly #takenNames: Set<string>;
  readonly #copies = new WeakMap<object, JsonValue>();

  constructor(spec: SourceFile, resolve: ResolveReference, stays: (path: readonly string[]) => boolean) {
    this.#spec = spec;
    this.#resolve = resolve;
    this.#stays = stays;
    this.#takenNames = new Set(Object.keys(ownObject(spec.document.value, BUNDLED) ?? {}));
  }

  /** Lists a value and those that its `$ref`s lead to. */
  async layers(from: Sourced): Promise<Sourced[]> {
    const layers: Sourced[] = [from];
    for (let hops = 0; hops < HOPS_MAX; hops++) {
      const last = layers.at(-1);
      const reference = isObject(last?.value) ? last.value["$ref"] : undefined;
      if (last === undefined || typeof reference !== "string") break;
      const target = await this.#target(reference, last.source);
      if (target === undefined) break;
      layers.push({ value: asJson(target.value), source: target.source, path: target.path });
    }
    return layers;
  }

  /** Follows the references of values to what is moved, and those of what they lead to. */
  async follow(values: readonly Pick<Sourced, "value" | "source">[]): Promise<void> {
    const visited = new Set<object>();
    const stack = [...values];
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      const { value, source } = at;
      if (typeof value !== "object" || value === null || visited.has(value)) continue;
      visited.add(value);
      for (const reference of referencesOf(value)) {
        if (this.#staysPut(reference, source)) continue;
        const target = await this.#target(reference, source);
        if (target !== undefined) stack.push({ value: asJson(target.value), source: target.source });
      }
      for (const item of Object.values(value)) stack.push({ value: item, source });
    }
  }

  /** Copies a value with its references made those of the bundle. @throws {CliError} if it nests too deeply */
  copy(value: JsonValue, source: SourceFile, depth = 0): JsonValue {
    if (typeof value !== "object" || value === null) return value;
    const known = this.#copies.get(value);
    if (known !== undefined) return known;
    if (depth >= DEPTH_MAX)
      throw usageError(`it has more than ${DEPTH_MAX} objects and lists inside each other`);
    const copied: JsonValue = Array.isArray(value)
      ? value.map((item) => this.copy(item, source, depth + 1))
      : Object.fromEntries(
          Object.entries(value).map(([key, item]) => [
            key,
            key === "$ref" && typeof item === "string"
              ? this.#rewritten(item, source)
              : key === "discriminator" && isObject(item)
                ? this.#copyDiscriminator(item, source, depth + 1)
                : this.copy(item, source, depth + 1),
          ]),
        );
    this.#copies.set(value, copied);
    return copied;
  }

  /** Returns the moved values by their names, with their places. */
  moved(): Map<string, { value: JsonValue; at: Located }> {
    const moved = new Map<string, { value: JsonValue; at: Located }>();
    // Copying one can name another one, which the loop reaches, too.
    for (const { name, at } of this.#names.values())
      moved.set(name, { value: this.copy(asJson(at.value), at.source), at });
    return moved;
  }

  #copyDiscriminator(value: JsonObject, source: SourceFile, depth: number): JsonValue {
    const copied = this.copy(value, source, depth);
    const mapping = ownObject(value, "mapping");
    if (!isObject(copied) || mapping === undefined) return copied;
    const rewritten = Object.entries(mapping).map(([key, target]) => [
      key,
      isMappedReference(target) ? this.#rewritten(target, source) : target,
    ]);
    return { ...copied, mapping: Object.fromEntries(rewritten) };
  }

  #rewritten(reference: string, source: SourceFile): string {
    if (this.#staysPut(reference, source)) return reference;
    const target = this.#targets.get(keyOf(reference, source));
    if (target === undefined) return reference;
    const pointer = encodePointer(target.path);
    if (target.source.file === this.#spec.file && this.#stays(target.path)) return `#${encoded(pointer)}`;
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

  /** True for a reference within the description's own file to a place that the bundle has, too. */
  #staysPut(reference: string, source: SourceFile): boolean {
    if (!reference.startsWith("#") || source.file !== this.#spec.file) return false;
    const tokens = decodePointer(percentDecoded(reference.slice(1)));
    return tokens === undefined || this.#stays(tokens);
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

/** Encodes a pointer for a reference. One with half of a character, which no address can have, stays readable. */
function encoded(pointer: string): string {
  return pointer.isWellFormed() ? encodeURI(pointer) : pointer.replaceAll("%", "%25");
}

function keyOf(reference: string, source: SourceFile): string {
  return `${source.file}\n${reference}`;
}

function asJson(value: unknown): JsonValue {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parsers return JSON values only
  return value as JsonValue;
}
