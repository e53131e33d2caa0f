import type { OptionsOf } from "../../../framework/base-command.ts";
import type { JourneyNewCommand } from "../new.ts";
import path from "node:path";
import { parseDocument } from "@waymark/journeys/document/parse.ts";
import type { JourneyDocument } from "@waymark/journeys/document/parse.ts";
import type { Problem } from "@waymark/journeys/document/problem.ts";
import {
  blankJourney,
  journeyFromTemplate,
  overlayFor,
} from "@waymark/journey-authoring/template/new-journey.ts";
import { slug } from "@waymark/journey-authoring/template/names.ts";
import type { CliContext } from "../../../framework/context.ts";
import { usageError } from "../../../lib/cli-error.ts";
import { readText } from "../../../lib/read-text.ts";
import { createFile } from "../../../lib/write-file.ts";
import { JOURNEY_EXIT } from "../exit-codes.ts";
import { documentError } from "../problems.ts";
import { journeysFromOpenApi } from "./from-openapi.ts";
import { titleOf } from "./title.ts";
import { writeDocument, writeJson, writeLine } from "../../../lib/output.ts";

export type NewOptions = OptionsOf<JourneyNewCommand>;

/** Writes the files, or standard output for `-`, and lists them. */
export async function newJourney(context: CliContext, options: NewOptions): Promise<number> {
  const kinds = [options.openapi, options.template, options.variantOf, options.url];
  if (kinds.filter((kind) => kind !== undefined).length > 1)
    throw usageError("Give one of --openapi, --template, --variant-of and --url.");
  if (options.openapi === undefined && (options.list === true || options.resource.length > 0))
    throw usageError("--list and --resource go with --openapi.");
  if (options.openapi !== undefined)
    return journeysFromOpenApi(context, { ...options, openapi: options.openapi });
  const { file } = options;
  if (file === undefined)
    throw usageError("Name the file to make, such as orders.journey.yaml; - for standard output.");
  const text = await textOf(context, { ...options, file });
  if (file === "-") {
    writeDocument(context.stdout, text);
    return JOURNEY_EXIT.passed;
  }
  await createFile(context.cwd, file, { text, force: options.force === true });
  if (options.json === true) writeJson(context.stdout, { files: [{ file }] });
  else writeLine(context.stdout, `Made ${file}`);
  return JOURNEY_EXIT.passed;
}

async function textOf(context: CliContext, options: NewOptions & { file: string }): Promise<string> {
  const { template, variantOf, url = "https://api.example.com/" } = options;
  const title = options.title ?? titleOf(options.file);
  const file = rooted(context, options.file);
  if (template !== undefined) {
    const made = journeyFromTemplate(await read(context, template), { title, file });
    if (!made.ok) throw documentError(`${template} can't be a template`, inFile(template, made.problems));
    return made.text;
  }
  if (variantOf !== undefined) {
    const base = await read(context, variantOf);
    if (base.model === undefined)
      throw documentError(`${variantOf} can't be a base`, inFile(variantOf, base.problems));
    return overlayFor(base, { id: slug(title, "variant"), title, file });
  }
  return blankJourney({ title, url });
}

/** Reads a journey. Its path is absolute, so that references can be rewritten between any two folders. */
async function read(context: CliContext, name: string): Promise<JourneyDocument> {
  return parseDocument(await readText(context, name), { file: rooted(context, name) });
}

function inFile(file: string, problems: readonly Problem[]): Problem[] {
  return problems.map((problem) => ({ ...problem, file }));
}

function rooted({ cwd }: CliContext, name: string): string {
  return path.resolve(cwd, name === "-" ? "standard-input" : name).replaceAll("\\", "/");
}
