import type { Environment } from "../lib/config.ts";
import { AZURE_ISSUE } from "../lib/output.ts";
import { printable } from "../lib/text.ts";
import type { Annotated, AnnotationLevel } from "./reported.ts";

/** True if this runs in a job of Azure Pipelines. */
export function isAzurePipelines(environment: Environment): boolean {
  return environment["TF_BUILD"]?.toLowerCase() === "true";
}

/**
 * Returns a finding as an issue of the job.
 * @see https://learn.microsoft.com/azure/devops/pipelines/scripts/logging-commands
 */
export function azureLine(level: AnnotationLevel, { code, message, file, position }: Annotated): string {
  const at = position();
  const properties = [
    ["type", level],
    // Azure wants the whole path, and can't show standard input.
    ...(file === undefined ? [] : [["sourcepath", file]]),
    ...(file === undefined || at === undefined
      ? []
      : [
          ["linenumber", String(at.line)],
          ["columnnumber", String(at.column)],
        ]),
    ["code", code],
  ];
  const shown = properties.map(([name = "", value = ""]) => `${name}=${escapeProperty(value)};`).join("");
  return `${AZURE_ISSUE}${shown}]${escapeData(message)}`;
}

function escapeData(text: string): string {
  return printable(text).replaceAll("%", "%AZP25");
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll("]", "%5D").replaceAll(";", "%3B");
}
