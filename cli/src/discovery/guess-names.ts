import { readFileSync } from "node:fs";
import path from "node:path";
import { ownString } from "@waymark/openapi/json.ts";
import { serviceNameProblem, tidyServiceName } from "@waymark/shared/lib/service-name.ts";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";

/** Names of files and folders that say nothing about the service. */
const GENERIC =
  /^(?:api|apis|docs?|documentation|openapi|oas|swagger|specs?|specification|schemas?|index|main|src|resources|static|public|definitions?|contracts?|services?|packages|apps)$/i;
/** Names such as `v1`, `1.0`, `2024-05-01`. */
const VERSION = /^(?:v\d+(?:[._]\d+)*(?:-?(?:alpha|beta|rc)\d*)?|\d+(?:\.\d+)+|\d{4}-\d{2}-\d{2})$/i;

interface Named {
  spec: string;
  title: string | undefined;
}

/**
 * Names the service of each description: after its file; otherwise after the nearest folder or its package.json; at the root after the
 * repository's package.json, the title or the folder. A version in the path is a part of the name. Names that are equal get more of
 * their paths, so that all differ.
 */
export function guessNames(
  root: string,
  descriptions: readonly Named[],
): { service: string; spec: string }[] {
  const named = descriptions.map((each) => ({ spec: each.spec, names: namesOf(root, each) }));
  /** The number of names in use, by description. */
  const depths = named.map(() => 0);
  const nameAt = (index: number) => {
    const names = named[index]?.names ?? [];
    return fitted(names[Math.min(depths[index] ?? 0, names.length - 1)] ?? "service");
  };
  for (let changed = true; changed;) {
    changed = false;
    const all = named.map((_, index) => nameAt(index).toLowerCase());
    for (const [index, { names }] of named.entries()) {
      const isTaken = all.filter((name) => name === all[index]).length > 1;
      if (!isTaken || (depths[index] ?? 0) >= names.length - 1) continue;
      depths[index] = (depths[index] ?? 0) + 1;
      changed = true;
    }
  }
  return withNumbers(named.map(({ spec }, index) => ({ service: nameAt(index), spec })));
}

/** Numbers the names that are equal all the same, because they were cut or their paths differ in a sign only. */
function withNumbers(
  named: readonly { service: string; spec: string }[],
): { service: string; spec: string }[] {
  const used = new Set<string>();
  return named.map(({ service, spec }) => {
    let name = service;
    const beginning = Array.from(service).slice(0, 100).join("");
    for (let count = 2; used.has(name.toLowerCase()); count++) name = `${beginning}-${count}`;
    used.add(name.toLowerCase());
    return { service: name, spec };
  });
}

/** Returns the possible names of a description: each has more of its path than the one before, and the last has all of it. */
function namesOf(root: string, { spec, title }: Named): string[] {
  const folders = spec.split("/").slice(0, -1);
  const stem = stemOf(spec);
  const versions = [...folders, stem].filter((name) => VERSION.test(name));
  const telling = folders
    .map((name, index) => ({ name, folder: path.join(root, ...folders.slice(0, index + 1)) }))
    .filter(({ name }) => !GENERIC.test(name) && !VERSION.test(name));
  const own = GENERIC.test(stem) || VERSION.test(stem) ? undefined : stem;
  const nearest = telling.at(-1);
  const base =
    own ??
    (nearest === undefined
      ? (packageName(root) ?? given(title) ?? path.basename(root))
      : (packageName(nearest.folder) ?? nearest.name));
  const above = (own === undefined ? telling.slice(0, -1) : telling).map(({ name }) => name).toReversed();
  const suffix = versions.map((version) => `-${version}`).join("");
  const names = [`${base}${suffix}`];
  let prefix = "";
  for (const name of above) {
    prefix = `${name}-${prefix}`;
    names.push(`${prefix}${base}${suffix}`);
  }
  const whole = [...folders, stem].join("-");
  return [...names, whole, `${whole}-${path.extname(spec).slice(1)}`];
}

function stemOf(spec: string): string {
  return path.posix
    .basename(spec)
    .replace(/\.(?:ya?ml|json)$/i, "")
    .replace(/[._-](?:openapi|swagger|oas|api)$/i, "")
    .replace(/^(?:openapi|swagger|oas)[._-]/i, "");
}

/** Returns the name in a folder's package.json, without its scope. */
function packageName(folder: string): string | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
    return given(ownString(manifest, "name")?.replace(/^@[^/]*\//, ""));
  } catch {
    // There is none, or it is not valid: the folder has a name, too.
    return undefined;
  }
}

function given(text: string | undefined): string | undefined {
  const name = text?.trim() ?? "";
  return name === "" ? undefined : name;
}

/** Returns a name that a service may have. */
function fitted(name: string): string {
  const tidy = tidyServiceName(name);
  const usable =
    serviceNameProblem(tidy) === undefined
      ? tidy
      : tidyServiceName(tidy.replaceAll(/[^\p{L}\p{N} ._/-]+/gu, "-"));
  const characters = Array.from(usable).slice(0, SCAN_LIMITS.serviceNameMax);
  return tidyServiceName(characters.join("")) || "service";
}
