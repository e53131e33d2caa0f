import {
  isObject,
  type JsonObject,
  type JsonValue,
  ownArray,
  ownObject,
  ownString,
} from "@waymark/openapi/json.ts";
import { decodePointer } from "@waymark/openapi/pointer.ts";
import { percentDecoded } from "@waymark/openapi/references.ts";

/** Components of Swagger 2.0, which are members of the root. */
const ROOT_KINDS = ["definitions", "parameters", "responses"];

/**
 * Returns a description without the components that nothing refers to any more, and without the tags of no operation. Security schemes stay:
 * they are referred to by name.
 *
 * @param bundled the member of the root with values that were in other files
 */
export function pruneComponents(document: JsonObject, bundled: string): JsonObject {
  const { components, ...rest } = document;
  const kinds = Object.entries(isObject(components) ? components : {}).filter(
    ([kind]) => kind !== "securitySchemes",
  );
  const groups = new Map<string, JsonObject>();
  for (const [kind, members] of kinds) if (isObject(members)) groups.set(`components/${kind}`, members);
  for (const kind of [...ROOT_KINDS, bundled]) {
    const members = ownObject(document, kind);
    if (members !== undefined) groups.set(kind, members);
  }
  const used = new Set<string>();
  const roots = Object.entries(rest).filter(([name]) => !groups.has(name));
  mark(
    groups,
    used,
    roots.map(([, value]) => value),
  );
  const kept = (group: string) =>
    Object.fromEntries(
      Object.entries(groups.get(group) ?? {}).filter(([name]) => used.has(`${group}/${name}`)),
    );
  const pruned: JsonObject = Object.fromEntries(
    Object.entries(document).map(([name, value]) => [name, groups.has(name) ? kept(name) : value]),
  );
  if (isObject(components)) {
    pruned["components"] = Object.fromEntries(
      Object.entries(components).map(([kind, value]) => [
        kind,
        groups.has(`components/${kind}`) ? kept(`components/${kind}`) : value,
      ]),
    );
  }
  if (Array.isArray(document["tags"])) pruned["tags"] = usedTags(document["tags"], pruned["paths"]);
  return pruned;
}

/** Marks what values refer to, and what that refers to. A schema with a discriminator keeps the schemas that extend it. */
function mark(groups: ReadonlyMap<string, JsonObject>, used: Set<string>, roots: readonly JsonValue[]): void {
  const stack = [...roots];
  const visited = new Set<object>();
  const bases = new Set<string>();
  const byId = indexById(groups);
  const use = (name: string | undefined) => {
    if (name === undefined || used.has(name)) return;
    const value = valueOf(groups, name);
    if (value === undefined) return;
    used.add(name);
    if (ownObject(value, "discriminator") !== undefined) bases.add(name);
    stack.push(value);
  };
  const useReference = (reference: string | undefined) => {
    const name = componentOf(reference);
    use(name);
    if (name === undefined && reference !== undefined)
      for (const id of idsOf(reference)) for (const each of byId.get(id) ?? []) use(each);
  };
  for (;;) {
    for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
      if (typeof value !== "object" || value === null || visited.has(value)) continue;
      visited.add(value);
      for (const key of REFERENCES) useReference(ownString(value, key));
      for (const target of Object.values(ownObject(ownObject(value, "discriminator"), "mapping") ?? {}))
        if (typeof target === "string") {
          use(`components/schemas/${target}`);
          useReference(target);
        }
      for (const item of Object.values(value)) stack.push(item);
    }
    for (const [group, members] of groups)
      for (const [name, value] of Object.entries(members))
        if (extendsOneOf(value, bases)) use(`${group}/${name}`);
    if (stack.length === 0) return;
  }
}

const REFERENCES = ["$ref", "$dynamicRef"];
const ANCHORS = ["$anchor", "$dynamicAnchor"];

/** Returns the components by the ids and the anchors that are in them. */
function indexById(groups: ReadonlyMap<string, JsonObject>): Map<string, Set<string>> {
  const index = new Map<string, Set<string>>();
  const add = (id: string, name: string) => index.set(id, (index.get(id) ?? new Set()).add(name));
  for (const [group, members] of groups)
    for (const [key, component] of Object.entries(members)) {
      const name = `${group}/${key}`;
      const stack = [component];
      const visited = new Set<object>();
      for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
        if (typeof value !== "object" || value === null || visited.has(value)) continue;
        visited.add(value);
        for (const anchor of ANCHORS) {
          const text = ownString(value, anchor);
          if (text !== undefined) add(`#${text}`, name);
        }
        const id = ownString(value, "$id");
        if (id !== undefined) add(lastSegment(id), name);
        for (const item of Object.values(value)) stack.push(item);
      }
    }
  return index;
}

/** Returns the ids by which a reference may mean a component: more than it does, so that none is lost. */
function idsOf(reference: string): string[] {
  const [address = "", fragment = ""] = reference.split("#", 2);
  return [`#${percentDecoded(fragment)}`, ...(address === "" ? [] : [lastSegment(address)])];
}

/** The part of an `$id` that a relative reference to it ends with. */
function lastSegment(address: string): string {
  return address.replace(/#.*$/s, "").replace(/\/$/, "").replace(/^.*\//s, "");
}

function extendsOneOf(value: JsonValue, bases: ReadonlySet<string>): boolean {
  return ownArray(value, "allOf").some((part) => bases.has(componentOf(ownString(part, "$ref")) ?? ""));
}

function valueOf(groups: ReadonlyMap<string, JsonObject>, name: string): JsonValue | undefined {
  const at = name.startsWith("components/") ? name.indexOf("/", "components/".length) : name.indexOf("/");
  const members = groups.get(name.slice(0, at));
  const key = name.slice(at + 1);
  return members !== undefined && Object.hasOwn(members, key) ? members[key] : undefined;
}

/** Returns the group and the name of the component that a reference leads to or into. */
function componentOf(reference: string | undefined): string | undefined {
  if (reference === undefined || !reference.startsWith("#")) return undefined;
  const [first, second, third] = decodePointer(percentDecoded(reference.slice(1))) ?? [];
  if (first === "components") return third === undefined ? undefined : `components/${second}/${third}`;
  return second === undefined ? undefined : `${first}/${second}`;
}

function usedTags(tags: readonly JsonValue[], paths: JsonValue | undefined): JsonValue[] {
  const items = isObject(paths) ? Object.values(paths) : [];
  const operations = items.flatMap((item) => (isObject(item) ? Object.values(item) : []));
  const used = new Set(operations.flatMap((operation) => ownArray(operation, "tags")));
  return tags.filter((tag) => used.has(ownString(tag, "name") ?? null));
}
