import { slug } from "@waymark/journey-authoring/template/names.ts";

const ENDINGS = {
  journey: "journey.yaml",
  overlay: "overlay.yaml",
  openapi: "openapi.json",
  // The description of a scan, as YAML or as JSON, which is YAML too.
  described: "openapi.yaml",
} as const;

/** A path for a new document that no document has: in `journeys/`, after the title. */
export function newPath(
  title: string,
  { kind, taken }: { kind: keyof typeof ENDINGS; taken: ReadonlySet<string> },
): string {
  const name = slug(title, "new");
  for (let count = 1; ; count += 1) {
    const path = `journeys/${name}${count === 1 ? "" : `-${count}`}.${ENDINGS[kind]}`;
    if (!taken.has(path)) return path;
  }
}
