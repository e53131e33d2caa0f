import { editAll } from "@waymark/journey-authoring/edit/edit-all.ts";
import type { EditCommand } from "@waymark/journey-authoring/edit/command.ts";
import { crudTemplates } from "@waymark/journey-authoring/template/crud.ts";
import { relocated, slug } from "@waymark/journey-authoring/template/names.ts";
import {
  blankJourney,
  journeyFromTemplate,
  overlayFor,
} from "@waymark/journey-authoring/template/new-journey.ts";
import { operationsOf } from "@waymark/journey-authoring/template/openapi-shape.ts";
import { operationJourney } from "@waymark/journey-authoring/template/operation.ts";
import { parseDocument } from "@waymark/journeys/document/parse.ts";
import { type NamedText, operationName, readDescription, resourceName } from "./coverable.ts";

/** The origin of a new journey. */
export type Source =
  | { kind: "empty"; url: string }
  | { kind: "template" | "variant"; document: NamedText }
  | { kind: "service"; name: string; description: NamedText; covers: string }
  | { kind: "file"; text: string };

export type Made = { ok: true; text: string } | { ok: false; message: string };

/** The text of a new journey, for the path that it is stored under. */
export async function makeJourney(
  source: Source,
  { title, path }: { title: string; path: string },
): Promise<Made> {
  switch (source.kind) {
    case "empty":
      return { ok: true, text: blankJourney({ title, url: source.url }) };
    case "file":
      return { ok: true, text: source.text };
    case "template": {
      const { path: file, text } = source.document;
      const made = journeyFromTemplate(parseDocument(text, { file }), { title, file: path });
      return made.ok
        ? made
        : { ok: false, message: `${file}: ${made.problems[0]?.message ?? "has a fault"}` };
    }
    case "variant": {
      const { path: file, text } = source.document;
      const base = parseDocument(text, { file });
      if (base.raw === undefined) return { ok: false, message: `${file} can't be read.` };
      return { ok: true, text: overlayFor(base, { id: slug(title, "variant"), title, file: path }) };
    }
    default:
      return fromDescription(source, { title, path });
  }
}

async function fromDescription(
  { name, description, covers }: Extract<Source, { kind: "service" }>,
  { title, path }: { title: string; path: string },
): Promise<Made> {
  const read = await readDescription(description);
  if (!read.ok) return read;
  const file = description.path.replace(/^.*\//, "");
  const refers = {
    source: slug(name, "api"),
    url: relocated(`./${encodeURI(file)}`, description.path, path),
  };
  const { root } = read;
  const operation = operationsOf(root).find((one) => operationName(one) === covers);
  if (operation !== undefined)
    return { ok: true, text: operationJourney(root, operation, { title, ...refers }) };
  const template = crudTemplates(root, refers).find((one) => resourceName(one) === covers);
  if (template === undefined) return { ok: false, message: `The description has no ${covers} any more.` };
  const commands: EditCommand[] = [
    { op: "setScalar", pointer: "/$self", value: `journeys/${slug(title)}` },
    { op: "setScalar", pointer: "/info/title", value: title },
    { op: "removeValue", pointer: "/info/x-journey/template" },
  ];
  const edited = editAll(template.text, commands, { file: path });
  return edited.ok ? edited : { ok: false, message: edited.problems[0]?.message ?? "It can't be made." };
}
