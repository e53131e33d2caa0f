import type { Environment } from "@waymark/journeys/compile/build.ts";
import type { LoadedSource } from "@waymark/journeys/compile/unit.ts";
import { isObject, ownValue } from "@waymark/openapi/json.ts";
import { usageError } from "../../../lib/cli-error.ts";
import { type ProjectContext, readProjectFile } from "../../../framework/project-file.ts";

/**
 * The environment to compile for: from `waymark.yaml`, otherwise the servers of that name in the OpenAPI descriptions.
 * @throws {CliError} if neither knows the name: a misspelled one must not run against the default server
 */
export async function environmentOf(
  context: ProjectContext,
  name: string | undefined,
  sources: Readonly<Record<string, LoadedSource>>,
): Promise<Environment | undefined> {
  if (name === undefined) return undefined;
  const { environments = {} } = await readProjectFile(context);
  const own = Object.hasOwn(environments, name) ? environments[name] : undefined;
  const openApi = Object.entries(sources).flatMap(([source, loaded]) =>
    loaded.type === "openapi" ? [{ source, names: serverNames(loaded.document) }] : [],
  );
  if (own === undefined && !openApi.some(({ names }) => names.includes(name))) {
    const known = [...new Set([...Object.keys(environments), ...openApi.flatMap(({ names }) => names)])];
    throw usageError(
      `There is no environment "${name}": ${
        known.length === 0
          ? "waymark.yaml and the OpenAPI descriptions name none"
          : `there is ${known.join(", ")}`
      }.`,
    );
  }
  const servers: Record<string, NonNullable<Environment["servers"]>[string]> = {};
  for (const { source } of openApi) {
    const url = own?.servers?.[source];
    const variables = own?.variables?.[source];
    servers[source] = { environment: name, ...(url && { url }), ...(variables && { variables }) };
  }
  return { name, servers };
}

/** OpenAPI 3.2 names its servers; before it, `x-environment` says the same. */
function serverNames(document: unknown): string[] {
  const servers = ownValue(document, "servers");
  return (Array.isArray(servers) ? servers : []).flatMap((server: unknown) => {
    const names = isObject(server) ? [server["name"], server["x-environment"]] : [];
    return names.filter((name): name is string => typeof name === "string");
  });
}
