import { isObject, ownString, ownValue } from "./json.ts";
import { childPointer, decodePointer, resolvePointer } from "./pointer.ts";

/** A parsed OpenAPI 3.x or Swagger 2.0 description. */
export interface OpenApiSource {
  /** The name of the source description. */
  name: string;
  /** Where it was read from: relative references and server URLs are resolved against it. */
  url: string;
  document: unknown;
  /** Other files that it refers to, by their URL (resolved against `url`). */
  documents?: Readonly<Record<string, unknown>> | undefined;
}

/** A value with its document, which is the base of its own references. */
export interface Located {
  value: unknown;
  /** Empty for the source's own document, else the referred file relative to it. */
  file: string;
  pointer: string;
}

const HOPS_MAX = 50;
const BASE = "file:///";

/**
 * Follows references from a value. @throws ReferenceError for one that leads nowhere, into a cycle, or out of the given files
 */
export function dereference(source: OpenApiSource, from: Located): Located {
  return layersOf(source, from).at(-1) ?? from;
}

/**
 * Lists a value and those that its references lead to, one after the other. Of a path item, fields beside a `$ref` count too, and have
 * precedence over those that it leads to.
 * @throws ReferenceError as `dereference`
 */
export function layersOf(source: OpenApiSource, from: Located): Located[] {
  const layers = [from];
  let current = from;
  for (let hops = 0; hops < HOPS_MAX; hops++) {
    const reference = ownValue(current.value, "$ref");
    if (typeof reference !== "string") return layers;
    current = follow(source, reference, current.file);
    layers.push(current);
  }
  throw new ReferenceError(`"${describeRef(from)}" refers to itself`);
}

/** The target of one reference. @throws ReferenceError */
export function follow(source: OpenApiSource, reference: string, file: string): Located {
  const { target, pointer } = splitReference(reference);
  const nextFile = target === "" ? file : targetFile(source, file, target);
  const document = nextFile === "" ? source.document : fileOf(source, nextFile);
  const tokens = decodePointer(pointer);
  const value = tokens === undefined ? undefined : resolvePointer(document, tokens);
  if (value === undefined) throw new ReferenceError(`the reference "${reference}" leads nowhere`);
  return { value, file: nextFile, pointer };
}

/** The file that a `$ref` names (empty for its own) and the pointer into it, decoded. */
export function splitReference(reference: string): { target: string; pointer: string } {
  const hash = reference.indexOf("#");
  if (hash < 0) return { target: reference, pointer: "" };
  return { target: reference.slice(0, hash), pointer: percentDecoded(reference.slice(hash + 1)) };
}

/** Returns the keys of documents by their `$self`. Nearly all descriptions have none. */
export function indexBySelf<K>(documents: Iterable<readonly [K, unknown]>): ReadonlyMap<string, K> {
  const index = new Map<string, K>();
  for (const [key, document] of documents) {
    const self = selfOf(document);
    if (self !== undefined && !index.has(self)) index.set(self, key);
  }
  return index;
}

/**
 * Returns the key of the document that a `$ref` in the document `from` names by its `$self`, which is a document's own address since
 * OpenAPI 3.2 and the base of its references.
 */
export function findBySelf<K>(index: ReadonlyMap<string, K>, from: unknown, target: string): K | undefined {
  if (index.size === 0) return undefined;
  const wanted = addressOf(target, selfOf(from));
  return wanted === undefined ? undefined : index.get(wanted);
}

function selfOf(document: unknown): string | undefined {
  const self = ownString(document, "$self");
  return self === undefined ? undefined : addressOf(self, BASE);
}

function addressOf(reference: string, base: string | undefined): string | undefined {
  return URL.canParse(reference, base) ? new URL(reference, base).href.replace(/#.*$/s, "") : undefined;
}

/** Whether the file that a `$ref` names is on another machine. A drive letter is not a scheme. */
export function isRemote(target: string): boolean {
  return (/^[a-z][a-z0-9+.-]+:/i.test(target) && !/^file:/i.test(target)) || target.startsWith("//");
}

/** The path of the file that a relative `$ref` names: decoded, and with slashes, which URLs read a backslash as. */
export function referencePath(target: string): string {
  return percentDecoded(target.replaceAll("\\", "/"));
}

/** A lone % is part of the name: the text stays as it is. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The files that `$ref`s of a value lead to. Iterative and by identity: aliases make a graph of what looks like a tree. */
export function externalReferences(root: unknown): Set<string> {
  const files = new Set<string>();
  const index = indexBySelf([["", root]]);
  const visited = new Set<object>();
  const stack: unknown[] = [root];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value !== "object" || value === null || visited.has(value)) continue;
    visited.add(value);
    for (const [key, item] of Object.entries(value)) {
      if (key !== "$ref" || typeof item !== "string") stack.push(item);
      else if (!item.startsWith("#") && findBySelf(index, root, splitReference(item).target) === undefined)
        files.add(item.replace(/#.*$/s, ""));
    }
  }
  return files;
}

const indexes = new WeakMap<OpenApiSource, ReadonlyMap<string, string>>();

function indexOf(source: OpenApiSource): ReadonlyMap<string, string> {
  const known = indexes.get(source);
  if (known !== undefined) return known;
  const index = indexBySelf([["", source.document], ...Object.entries(source.documents ?? {})]);
  indexes.set(source, index);
  return index;
}

function targetFile(source: OpenApiSource, file: string, target: string): string {
  const from = file === "" ? source.document : fileOf(source, file);
  const named = findBySelf(indexOf(source), from, target);
  if (named === "") return "";
  return named === undefined ? relativeFile(source, file, target) : relativeFile(source, "", named);
}

function relativeFile(source: OpenApiSource, file: string, target: string): string {
  const root = new URL(source.url, BASE);
  const from = file === "" ? root : new URL(file, root);
  if (!URL.canParse(target, from.href)) throw new ReferenceError(`the reference "${target}" is no address`);
  const resolved = new URL(target, from).href;
  if (resolved === root.href) return "";
  const folder = new URL(".", root).href;
  return resolved.startsWith(folder) ? resolved.slice(folder.length) : resolved;
}

function fileOf(source: OpenApiSource, file: string): unknown {
  const wanted = new URL(file, new URL(source.url, BASE)).href;
  for (const [url, document] of Object.entries(source.documents ?? {})) {
    if (url === file || new URL(url, new URL(source.url, BASE)).href === wanted) return document;
  }
  throw new ReferenceError(`the file "${file}", which "${source.name}" refers to, was not given`);
}

/** The member of a value, with its references followed; undefined if there is none. */
export function member(source: OpenApiSource, at: Located, key: string): Located | undefined {
  const value = ownValue(at.value, key);
  if (value === undefined) return undefined;
  const child = { value, file: at.file, pointer: childPointer(at.pointer, key) };
  return isObject(value) && Object.hasOwn(value, "$ref") ? dereference(source, child) : child;
}

/** The members of an object or the items of an array, with references followed. */
export function members(source: OpenApiSource, at: Located | undefined): [string, Located][] {
  if (at === undefined || typeof at.value !== "object" || at.value === null) return [];
  const found: [string, Located][] = [];
  for (const key of Object.keys(at.value)) {
    const child = member(source, at, key);
    if (child !== undefined) found.push([key, child]);
  }
  return found;
}

export function rootOf(source: OpenApiSource): Located {
  return { value: source.document, file: "", pointer: "" };
}

export function textOf(at: Located | undefined): string | undefined {
  return typeof at?.value === "string" ? at.value : undefined;
}

function describeRef(at: Located): string {
  return `${at.file}#${at.pointer}`;
}

/** 2 for Swagger 2.0, 3.0 and 3.1 (and later) for OpenAPI; undefined when it is neither. */
export function versionOf(document: unknown): 2 | 3.0 | 3.1 | undefined {
  const [swagger, openapi] = [ownValue(document, "swagger"), ownValue(document, "openapi")];
  // YAML reads an unquoted 2.0 as the number 2, and 3.0 as 3.
  if (swagger === 2 || swagger === "2" || swagger === "2.0") return 2;
  const version = openapi === 3 ? "3.0" : typeof openapi === "object" ? "" : String(openapi);
  if (!/^3\.\d/.test(version)) return undefined;
  return version.startsWith("3.0") ? 3.0 : 3.1;
}
