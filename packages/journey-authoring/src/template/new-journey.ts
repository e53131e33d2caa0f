import { isObject, ownArray, ownObject, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import { parseDocument } from "@waymark/journeys/document/parse.ts";
import type { JourneyDocument } from "@waymark/journeys/document/parse.ts";
import type { Problem } from "@waymark/journeys/document/problem.ts";
import type { EditCommand } from "../edit/command.ts";
import { editAll } from "../edit/edit-all.ts";
import { relocated, slug } from "./names.ts";
import { newYaml } from "./write-yaml.ts";

export type NewText = { ok: true; text: string } | { ok: false; problems: Problem[] };

/**
 * A journey of its own made from a template: the template's text with another title, version and identity. Comments and layout
 * are kept, and relative sources are rewritten for the new file.
 */
export function journeyFromTemplate(
  template: JourneyDocument,
  { title, file, version = "1.0.0" }: { title: string; file: string; version?: string },
): NewText {
  const { raw } = template;
  if (raw === undefined || template.model === undefined) return { ok: false, problems: template.problems };
  const commands: EditCommand[] = [
    { op: "setScalar", pointer: "/info/title", value: title },
    { op: "setScalar", pointer: "/info/version", value: version },
  ];
  const self = ownString(raw, "$self");
  if (self !== undefined) {
    commands.push({ op: "setScalar", pointer: "/$self", value: self.replace(/[^/]*$/, () => slug(title)) });
  }
  const info = ownObject(raw, "info");
  if (ownObject(info, "x-journey") !== undefined) {
    const name = self ?? ownString(info, "title") ?? "";
    const basedOn = `${name}@${ownString(info, "version") ?? ""}`;
    commands.push({ op: "setScalar", pointer: "/info/x-journey/basedOn", value: basedOn });
    if (ownValue(ownObject(info, "x-journey"), "template") === true) {
      commands.push({ op: "setScalar", pointer: "/info/x-journey/template", value: false });
    }
  }
  for (const [index, source] of ownArray(raw, "sourceDescriptions").entries()) {
    const url = ownString(source, "url");
    if (url === undefined) continue;
    const moved = relocated(url, template.file, file);
    if (moved !== url)
      commands.push({ op: "setScalar", pointer: `/sourceDescriptions/${index}/url`, value: moved });
  }
  const edited = editAll(template.text, commands, { file });
  return edited.ok ? { ok: true, text: edited.text } : edited;
}

/** A variant that keeps its link to the base: an overlay that so far only changes the title. */
export function overlayFor(
  base: JourneyDocument,
  { id, title, file }: { id: string; title: string; file: string },
): string {
  const version = ownString(ownObject(base.raw, "info"), "version") ?? "1.0.0";
  return newYaml({
    overlay: "1.1.0",
    info: {
      title,
      version: "1.0.0",
      "x-overlay": { id, extendsVersion: `^${version}`, onZeroMatch: "error" },
    },
    extends: relocated(`./${base.file.replace(/^.*\//, "")}`, base.file, file),
    actions: [{ target: "$.info.title", update: title }],
  });
}

/** The smallest journey that lints: one call to a URL, to be replaced. */
export function blankJourney({ title, url }: { title: string; url: string }): string {
  const document: JsonObject = {
    arazzo: "1.1.0",
    info: { title, version: "1.0.0", "x-journey": { schema: 1 } },
    sourceDescriptions: [],
    workflows: [
      {
        workflowId: "main",
        steps: [
          {
            stepId: "call",
            "x-operation": { url, method: "GET" },
            successCriteria: [{ "x-id": "ok", condition: "$statusCode == 200" }],
          },
        ],
      },
    ],
  };
  return newYaml(document);
}

/** The templates among documents, by their own mark. */
export function isTemplate(text: string, file: string): boolean {
  const { raw } = parseDocument(text, { file });
  const extension = ownObject(ownObject(raw, "info"), "x-journey");
  return isObject(extension) && ownValue(extension, "template") === true;
}
