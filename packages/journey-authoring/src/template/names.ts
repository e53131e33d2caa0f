/** A name that is valid in expressions and file names: letters, digits and dashes. */
export function slug(text: string, fallback = "journey"): string {
  const plain = text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return (
    plain
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replaceAll(/^-+|-+$/g, "")
      .slice(0, 60) || fallback
  );
}

/** `slug`, made different from every name in the set, and added to it. */
export function uniqueSlug(text: string, taken: Set<string>, fallback = "step"): string {
  const base = slug(text, fallback);
  let name = base;
  for (let count = 2; taken.has(name); count += 1) name = `${base}-${count}`;
  taken.add(name);
  return name;
}

/** A name that is valid in expressions: `$inputs.name`. */
export function inputName(text: string): string {
  const name = text.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 100);
  return name === "__proto__" || name === "" ? "value" : name;
}

/** Name of an environment variable. */
export function variableName(text: string): string {
  const name = slug(text, "value").replaceAll("-", "_").toUpperCase();
  return /^\d/.test(name) ? `_${name}` : name;
}

/** Rewrites a reference of one file for another file. */
export function relocated(reference: string, fromFile: string, toFile: string): string {
  if (/^[A-Za-z][A-Za-z0-9+.-]*:|^\//.test(reference)) return reference;
  const target = pathOf(new URL(reference, new URL(fromFile, "file:///")));
  const base = pathOf(new URL(toFile, "file:///")).slice(0, -1);
  let shared = 0;
  while (shared < base.length && shared < target.length - 1 && base[shared] === target[shared]) shared += 1;
  const up = base.slice(shared).map(() => "..");
  const path = [...up, ...target.slice(shared)].join("/");
  return path.startsWith("../") ? path : `./${path}`;
}

function pathOf(url: URL): string[] {
  return decodeURI(url.pathname).split("/").slice(1);
}
