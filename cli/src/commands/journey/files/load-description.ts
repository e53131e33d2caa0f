import { openFiles } from "@waymark/journeys/load/files.ts";
import { loadOpenApi } from "@waymark/journeys/load/load-openapi.ts";
import type { LoadedOpenApi } from "@waymark/journeys/load/load-openapi.ts";
import type { CliContext } from "../../../framework/context.ts";
import { asUsageErrors, fileAccess } from "./file-access.ts";
import { rootPath } from "./names.ts";

/** Reads an OpenAPI description and what it refers to. @throws {CliError} if it can't be read or parsed */
export function loadDescription(
  context: Pick<CliContext, "cwd" | "openStdin">,
  { file, url }: { file: string; url: string },
): Promise<LoadedOpenApi> {
  const path = rootPath(context.cwd, file);
  return asUsageErrors(loadOpenApi(openFiles(fileAccess(context)), { path, url }));
}
