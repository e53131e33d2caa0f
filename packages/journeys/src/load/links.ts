import { ownArray, ownObject, ownString, ownValue } from "@waymark/openapi/json.ts";
import { externalReferences } from "@waymark/openapi/references.ts";
import type { Files } from "./files.ts";
import { sourcePath } from "./load-sources.ts";
import { resolveReference } from "./paths.ts";
import type { RootPath } from "./paths.ts";

/** A reference from a document to another one. */
export interface DocumentLink {
  role: "source" | "extends" | "journey";
  /** The name of the source description; `extends` for an overlay's base, the reference for a file of a description. */
  name: string;
  /** The reference as it is written. */
  target: string;
  /** The file that the reference means; undefined for a URL. */
  path: RootPath | undefined;
}

/** The links of a value that was read from a file, sound or not: one for each name, in the order of the document. */
export async function linksOf(
  files: Files,
  { value, path }: { value: unknown; path: RootPath },
): Promise<DocumentLink[]> {
  const links = new Map<string, DocumentLink>();
  for (const source of ownArray(value, "sourceDescriptions")) {
    const link = await sourceLink(files, source, { $self: ownString(value, "$self"), path });
    if (link !== undefined && !links.has(link.name)) links.set(link.name, link);
  }
  return [...links.values()];
}

async function sourceLink(
  files: Files,
  source: unknown,
  owner: { $self: string | undefined; path: RootPath },
): Promise<DocumentLink | undefined> {
  const [name, target, type] = ["name", "url", "type"].map((key) => ownString(source, key));
  if (name === undefined || target === undefined || type === "asyncapi") return undefined;
  const role = type === "arazzo" ? "journey" : "source";
  return { role, name, target, path: await sourcePath(files, owner, target) };
}

/** The link of an overlay to its base. */
export function baseLink(overlay: unknown, path: RootPath): DocumentLink[] {
  const target = ownString(overlay, "extends");
  return target === undefined
    ? []
    : [{ role: "extends", name: "extends", target, path: resolveReference(target, path) }];
}

/** The files that a description refers to. */
export function referenceLinks(description: unknown, path: RootPath): DocumentLink[] {
  return [...externalReferences(description)].map((target) => ({
    role: "source",
    name: target,
    target,
    path: resolveReference(target, path),
  }));
}

/** The metadata that a journey or an overlay declares. */
export interface DocumentHead {
  title: string | undefined;
  version: string | undefined;
  self: string | undefined;
  isTemplate: boolean;
  tags: string[];
  extendsVersion: string | undefined;
}

export function headOf(document: unknown): DocumentHead {
  const info = ownObject(document, "info");
  const extension = ownObject(info, "x-journey");
  return {
    title: ownString(info, "title"),
    version: ownString(info, "version"),
    self: ownString(document, "$self"),
    isTemplate: ownValue(extension, "template") === true,
    tags: ownArray(extension, "tags").filter((tag) => typeof tag === "string"),
    extendsVersion: ownString(ownObject(info, "x-overlay"), "extendsVersion"),
  };
}
