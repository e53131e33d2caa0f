import { isObject, ownArray, ownObject, ownString, ownValue } from "@waymark/openapi/json.ts";
import { decodePointer, resolvePointer } from "@waymark/openapi/pointer.ts";

/** Base of a document without a URL of its own. */
const DOCUMENT = "document:///";
const DEPTH_MAX = 100;

/** The URIs by which a document's schemas can be referenced. */
interface SchemaIndex {
  base: string;
  /** The document, and schemas with an `$id`, by their URI. */
  resources: ReadonlyMap<string, unknown>;
  /** Schemas by their URI with a plain name (`$anchor`). */
  anchors: ReadonlyMap<string, unknown>;
  /** The base of each schema's own references. */
  bases: WeakMap<object, string>;
}

/**
 * The schema of a reference: a JSON Pointer, a plain name or a URI (Arazzo 1.1, "Resolving URI Fragments"; JSON Schema 2020-12,
 * section 8.2). Undefined if there is none in the document.
 *
 * @param root the document that has the schema, or a self-contained schema
 * @param from the schema that has the reference
 */
export function resolveSchema(root: unknown, reference: string, from?: unknown): unknown {
  if (typeof root !== "object" || root === null) return undefined;
  const index = indexOf(root);
  const base = (typeof from === "object" && from !== null ? index.bases.get(from) : undefined) ?? index.base;
  const uri = URL.parse(reference, base);
  if (uri === null) return undefined;
  const fragment = decoded(uri.hash.slice(1));
  uri.hash = "";
  const resource = index.resources.get(uri.href);
  if (fragment === "" || resource === undefined) return resource;
  if (!fragment.startsWith("/")) return index.anchors.get(`${uri.href}#${fragment}`);
  const tokens = decodePointer(fragment);
  return tokens === undefined ? undefined : resolvePointer(resource, tokens);
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

const indexes = new WeakMap<object, SchemaIndex>();

/** Documents are searched once. */
function indexOf(root: object): SchemaIndex {
  let index = indexes.get(root);
  if (index === undefined) indexes.set(root, (index = createIndex(root)));
  return index;
}

function createIndex(root: object): SchemaIndex {
  const self = ownString(root, "$self");
  const base = self === undefined ? DOCUMENT : (URL.parse(self, DOCUMENT)?.href ?? DOCUMENT);
  const resources = new Map<string, unknown>([[base, root]]);
  const anchors = new Map<string, unknown>();
  const bases = new WeakMap<object, string>();
  const workflows = ownArray(root, "workflows").map((workflow) => ownValue(workflow, "inputs"));
  const components = ownValue(ownObject(root, "components"), "inputs");
  const open = [components, ...workflows].map((value) => ({ value, base, depth: 0 }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value !== "object" || value === null || depth > DEPTH_MAX) continue;
    const own = isObject(value) ? baseOf(value, next.base) : next.base;
    bases.set(value, own);
    if (own !== next.base && !resources.has(own)) resources.set(own, value);
    for (const keyword of ["$anchor", "$dynamicAnchor"]) {
      const name = ownString(value, keyword);
      if (name !== undefined && !anchors.has(`${own}#${name}`)) anchors.set(`${own}#${name}`, value);
    }
    for (const member of Object.values(value)) open.push({ value: member, base: own, depth: depth + 1 });
  }
  return { base, resources, anchors, bases };
}

function baseOf(schema: Readonly<Record<string, unknown>>, base: string): string {
  const id = schema["$id"];
  const uri = typeof id === "string" ? URL.parse(id, base) : null;
  if (uri === null) return base;
  uri.hash = "";
  return uri.href;
}
