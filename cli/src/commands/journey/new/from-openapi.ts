import { mkdir, stat } from "node:fs/promises";
import path from "node:path";
import { isObject } from "@waymark/openapi/json.ts";
import { crudTemplates } from "@waymark/journey-authoring/template/crud.ts";
import type { CrudTemplate } from "@waymark/journey-authoring/template/crud.ts";
import { slug } from "@waymark/journey-authoring/template/names.ts";
import type { CliContext } from "../../../framework/context.ts";
import { usageError } from "../../../lib/cli-error.ts";
import { plural, printable } from "../../../lib/text.ts";
import { createFile } from "../../../lib/write-file.ts";
import { JOURNEY_EXIT } from "../exit-codes.ts";
import { loadDescription } from "../files/load-description.ts";
import type { NewOptions } from "./new-journey.ts";
import { writeDocument, writeJson, writeLine } from "../../../lib/output.ts";

/** The maximum number of files to create without naming a resource. */
const FILES_MAX = 500;

/** Creates a journey for each resource of a description, or lists the resources. */
export async function journeysFromOpenApi(
  context: CliContext,
  options: NewOptions & { openapi: string },
): Promise<number> {
  const { openapi, list, json } = options;
  if (openapi === "-") throw usageError("--openapi must be a file: the journey refers to it.");
  const target = await targetOf(context, options);
  const url = referenceFrom(context, target.folder, openapi);
  const templates = chosen(await templatesOf(context, openapi, url), options);
  if (list === true) {
    const shown = templates.map(({ name, path: place }) => ({ name, path: place }));
    const width = Math.max(...shown.map(({ name }) => name.length));
    if (json === true) writeJson(context.stdout, { resources: shown });
    else
      for (const { name, path: place } of shown) writeLine(context.stdout, `${name.padEnd(width)}  ${place}`);
    return JOURNEY_EXIT.passed;
  }
  return target.file === undefined
    ? writeAll(context, options, { templates, folder: target.folder })
    : writeOne(context, options, { templates, file: target.file });
}

async function templatesOf(context: CliContext, openapi: string, url: string): Promise<CrudTemplate[]> {
  const { document } = await loadDescription(context, { file: openapi, url });
  if (!isObject(document) || !(Object.hasOwn(document, "openapi") || Object.hasOwn(document, "swagger")))
    throw usageError(`${openapi} is not an OpenAPI description: it has neither openapi nor swagger.`);
  const name = path.basename(openapi).replace(/\.(?:openapi|swagger)?\.?(?:ya?ml|json)$/i, "");
  const templates = crudTemplates(document, { source: slug(name, "api"), url });
  if (templates.length > 0) return templates;
  throw usageError(
    `${openapi} describes no resource that can be created (POST on a path) and then be read, changed or removed (a path below it that ends in one parameter).`,
  );
}

function chosen(
  templates: CrudTemplate[],
  { openapi, resource }: NewOptions & { openapi: string },
): CrudTemplate[] {
  const unknown = resource.find((wanted) => !templates.some((template) => isIt(template, wanted)));
  if (unknown === undefined)
    return resource.length === 0
      ? templates
      : templates.filter((template) => resource.some((wanted) => isIt(template, wanted)));
  const names = templates.slice(0, 50).map(({ name }) => name);
  const more = templates.length > 50 ? ", …" : "";
  throw usageError(
    `${openapi} has no resource "${printable(unknown, 100)}": there is ${names.join(", ")}${more}.`,
  );
}

function isIt({ name, path: place }: CrudTemplate, wanted: string): boolean {
  return wanted === name || wanted === place;
}

/** A name that ends in an extension is a file, anything else a folder; without one it is the working directory. */
async function targetOf(
  { cwd }: CliContext,
  { file = ".", list }: NewOptions,
): Promise<{ folder: string; file: string | undefined }> {
  if (list === true) return { folder: cwd, file: undefined };
  const place = path.resolve(cwd, file);
  const isFolder = await stat(place).then(
    (stats) => stats.isDirectory(),
    () => !/\.(?:ya?ml|json)$/i.test(file),
  );
  if (file === "-") return { folder: cwd, file };
  return isFolder ? { folder: place, file: undefined } : { folder: path.dirname(place), file };
}

/** Percent-encoded, as a reference in a document is. */
function referenceFrom({ cwd }: CliContext, folder: string, openapi: string): string {
  const relative = path.relative(folder, path.resolve(cwd, openapi)).replaceAll("\\", "/");
  const encoded = encodeURI(relative).replaceAll("?", "%3F").replaceAll("#", "%23");
  return encoded.startsWith("../") ? encoded : `./${encoded}`;
}

async function writeOne(
  { cwd, stdout }: CliContext,
  { force, json, openapi }: NewOptions,
  { templates, file }: { templates: CrudTemplate[]; file: string },
): Promise<number> {
  const [template, ...more] = templates;
  if (template === undefined || more.length > 0) {
    throw usageError(
      `${openapi ?? ""} has ${templates.length} resources: pick one with --resource, or name a folder for all of them.`,
    );
  }
  if (file === "-") writeDocument(stdout, template.text);
  else {
    await createFile(cwd, file, { text: template.text, force: force === true });
    if (json === true) writeJson(stdout, { files: [{ file, resource: template.path }] });
    else writeLine(stdout, `Made ${file} for ${template.path}`);
  }
  return JOURNEY_EXIT.passed;
}

async function writeAll(
  context: CliContext,
  { force, json }: NewOptions,
  { templates, folder }: { templates: CrudTemplate[]; folder: string },
): Promise<number> {
  const { cwd, stdout } = context;
  if (templates.length > FILES_MAX)
    throw usageError(`There are ${templates.length} resources: pick some with --resource.`);
  const made = templates.map((template) => ({
    template,
    file: path.relative(cwd, path.join(folder, `${template.name}.journey.yaml`)).replaceAll("\\", "/"),
  }));
  await refuseExisting(cwd, force === true ? [] : made.map(({ file }) => file));
  await mkdir(folder, { recursive: true });
  for (const { template, file } of made)
    await createFile(cwd, file, { text: template.text, force: force === true });
  if (json === true)
    writeJson(stdout, { files: made.map(({ template, file }) => ({ file, resource: template.path })) });
  else {
    for (const { template, file } of made) writeLine(stdout, `Made ${file} for ${template.path}`);
    writeLine(stdout, plural(made.length, "journey"));
  }
  return JOURNEY_EXIT.passed;
}

/** Checked before writing the first file, so that either all are written or none. */
async function refuseExisting(cwd: string, files: readonly string[]): Promise<void> {
  const there: string[] = [];
  for (const file of files) {
    const exists = await stat(path.resolve(cwd, file)).then(
      () => true,
      () => false,
    );
    if (exists) there.push(printable(file, 300));
  }
  if (there.length > 0)
    throw usageError("Nothing was created: these files exist already, --force replaces them.", {
      details: there.slice(0, 20),
    });
}
