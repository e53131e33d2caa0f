import path from "node:path";
import { pathToFileURL } from "node:url";

/** The options of each run of Respect: the usual configuration, and a logger that prints nothing. */
interface RespectOptions {
  config: unknown;
  logger: Record<string, unknown>;
}

/**
 * Redocly's runner of Arazzo from its installed package.
 *
 * @param folder the package's folder; its core is installed beside it
 */
export async function loadRespect(folder: string): Promise<RespectOptions & { run: unknown }> {
  const load = (entry: string): Promise<unknown> => import(pathToFileURL(path.join(folder, entry)).href);
  const { run } = (await load("lib/index.js")) as { run: unknown };
  const { createConfig } = (await load("../openapi-core/lib/index.js")) as {
    createConfig: (config: unknown) => Promise<unknown>;
  };
  const nothing = () => {};
  const logger = {
    info: nothing,
    output: nothing,
    warn: nothing,
    error: nothing,
    printNewLine: nothing,
    printSeparator: nothing,
    indent: (text: string) => text,
  };
  return { run, config: await createConfig({}), logger };
}
