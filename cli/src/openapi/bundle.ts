import { isObject, type JsonObject, type JsonValue, ownObject, ownValue } from "@waymark/openapi/json.ts";
import { decodePointer, encodePointer, type Pointer } from "@waymark/openapi/pointer.ts";
import { HTTP_METHODS } from "@waymark/shared/scans/limits.ts";
import type { HttpMethod } from "@waymark/shared/scans/schema.ts";
import { BUNDLED, References, type Sourced } from "./bundle-references.ts";
import { pruneComponents } from "./prune-components.ts";
import type { ResolveReference, SourceFile } from "./reference-files.ts";

export interface BundleOptions {
  spec: SourceFile;
  resolve: ResolveReference;
  /** True for the operations that stay; undefined if all of them do. */
  isSelected: ((path: string, method: HttpMethod) => boolean) | undefined;
}

/** A description with all that it refers to in other files, as one value. */
export interface Bundle {
  value: JsonObject;
  /** Returns the file, and the place in it, that a place of the bundle comes from. */
  originOf: (pointer: Pointer) => { file: string; pointer: Pointer };
}

const METHODS = new Map(HTTP_METHODS.map((method) => [method.toLowerCase(), method]));
const WEBHOOKS = /^(?:x-)?webhooks$/;
/** The members of a path item that are no operations. */
const ITEM_FIELDS = new Set(["summary", "description", "servers", "parameters"]);

/**
 * Returns a description with all that it refers to in other files. What a selection leaves out is not in it: operations, webhooks, and
 * components and tags that only these use; but what an operation that stays refers to is. References that can't be followed stay as they
 * are.
 *
 * @throws {CliError} if a value nests too deeply
 */
export async function bundle({ spec, resolve, isSelected }: BundleOptions): Promise<Bundle> {
  const root = isObject(spec.document.value) ? spec.document.value : {};
  const items: Items = new Map();
  const references = new References(spec, resolve, (path) => isSelected === undefined || stays(items, path));
  if (isSelected !== undefined) {
    const paths = { value: root["paths"] ?? {}, source: spec, path: ["paths"] };
    for (const [path, item] of await selectItems(references, paths, isSelected)) items.set(path, item);
  }
  const members = Object.entries(root).filter(
    ([name]) => isSelected === undefined || (name !== "paths" && !WEBHOOKS.test(name)),
  );
  await references.follow([
    ...members.map(([, value]) => ({ value, source: spec })),
    ...[...items.values()].flatMap((item) => [...item.values()]),
  ]);
  const copied: JsonObject = Object.fromEntries(
    members.map(([name, member]) => [name, references.copy(member, spec)]),
  );
  if (isSelected !== undefined) copied["paths"] = copyItems(references, items);
  const moved = references.moved();
  // A description that was bundled before has the member already.
  if (moved.size > 0)
    copied[BUNDLED] = {
      ...ownObject(copied, BUNDLED),
      ...Object.fromEntries([...moved].map(([name, { value }]) => [name, value])),
    };
  return {
    value: isSelected === undefined ? copied : pruneComponents(copied, BUNDLED),
    originOf: (pointer) => {
      const tokens = decodePointer(pointer) ?? [];
      const [first, second = "", third = ""] = tokens;
      const at = first === BUNDLED ? moved.get(second)?.at : undefined;
      const member = first === "paths" ? items.get(second)?.get(third) : undefined;
      const origin = at ?? member;
      if (origin === undefined) return { file: spec.file, pointer };
      const below = tokens.slice(at === undefined ? 3 : 2);
      return { file: origin.source.file, pointer: encodePointer([...origin.path, ...below]) };
    },
  };
}

/** The selected path items by their paths, each with its members by their names. */
type Items = Map<string, Map<string, Sourced>>;

/** True for a place outside of what a selection leaves out. */
function stays(items: Items, [first, path, member]: readonly string[]): boolean {
  if (first === undefined) return true;
  if (WEBHOOKS.test(first)) return false;
  if (first !== "paths" || path === undefined) return true;
  const members = items.get(path);
  return members !== undefined && (member === undefined || members.has(member));
}

function copyItems(references: References, items: Items): JsonValue {
  return Object.fromEntries(
    [...items].map(([path, members]) => [
      path,
      Object.fromEntries(
        [...members].map(([name, { value, source }]) => [name, references.copy(value, source)]),
      ),
    ]),
  );
}

/** Returns the path items with an operation that stays, without the others. What a path item refers to is in it. */
async function selectItems(
  references: References,
  paths: Sourced,
  isSelected: NonNullable<BundleOptions["isSelected"]>,
): Promise<Items> {
  const items: Items = new Map();
  for (const layer of await references.layers(paths)) {
    for (const name of Object.keys(isObject(layer.value) ? layer.value : {})) {
      if (name === "$ref" || name.startsWith("x-") || items.has(name)) continue;
      const members = new Map<string, Sourced>();
      for (const at of await references.layers(memberOf(layer, name))) {
        for (const key of Object.keys(isObject(at.value) ? at.value : {})) {
          const method = METHODS.get(key);
          const isKept = method === undefined ? ITEM_FIELDS.has(key) : isSelected(name, method);
          if (isKept && !members.has(key)) members.set(key, memberOf(at, key));
        }
      }
      if ([...members.keys()].some((key) => METHODS.has(key))) items.set(name, members);
    }
  }
  return items;
}

function memberOf({ value, source, path }: Sourced, key: string): Sourced {
  return { value: ownValue(value, key) ?? null, source, path: [...path, key] };
}
