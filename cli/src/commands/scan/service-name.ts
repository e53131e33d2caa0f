import path from "node:path";
import { usageError } from "../../lib/cli-error.ts";
import { STDIN_NAME } from "../../lib/collect-bytes.ts";

/** The sources of a service's name: the title of its description, or the name of the file. */
export const SERVICE_SOURCES = ["title", "file"] as const;
export type ServiceSource = (typeof SERVICE_SOURCES)[number];

/** Names of files that say nothing about the service. */
const GENERIC = new Set(["openapi", "swagger", "api", "spec", "schema", "index"]);

/**
 * The name of the service of a description: its title, or the name of its file without endings. For a file with a name like
 * openapi.yaml, it is the name of its folder.
 * @throws {CliError} if there is none
 */
export function serviceNameOf(
  source: ServiceSource,
  { spec, cwd, title }: { spec: string; cwd: string; title: string | undefined },
): string {
  if (source === "title") {
    const name = title?.trim() ?? "";
    if (name === "") {
      throw usageError(
        `${spec} has no info.title to name its service by: add one, or use --service-from file.`,
      );
    }
    return name;
  }
  if (spec === STDIN_NAME) {
    throw usageError(
      "Standard input has no file to name its service by: use --service or --service-from title.",
    );
  }
  const name = path
    .basename(spec)
    .replace(/\.(ya?ml|json)$/i, "")
    .replace(/\.(openapi|swagger|oas|api)$/i, "");
  return GENERIC.has(name.toLowerCase()) ? path.basename(path.dirname(path.resolve(cwd, spec))) : name;
}
