import path from "node:path";
import { parseArgs } from "node:util";
import { root } from "../bootstrap/checkout.mjs";

export type DevConfig = ReturnType<typeof loadConfig>;

export const USAGE = `npm start                     starts Waymark with an empty organization and two examples
npm start -- --demo           starts it with a demo organization instead, in a database of its own: a shop with a history
npm start -- --remove-demo    deletes the demo organization, after it has asked; --yes answers for you`;

/** Addresses of the user's own servers. */
const OWN_SERVERS = ["DATABASE_URL", "DATABASE_DIRECT_URL", "SERVICE_DATABASE_URL", "REDIS_URL"];

/** Returns what the command line asks for. @throws Error with the usage */
export function parseCommandLine(args: readonly string[]) {
  const flag = { type: "boolean", default: false } as const;
  try {
    const options = { demo: flag, "remove-demo": flag, yes: flag, help: flag };
    const { values } = parseArgs({ args: [...args], options });
    return { demo: values.demo, removeDemo: values["remove-demo"], yes: values.yes, help: values.help };
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`, {
      cause: error,
    });
  }
}

/** @throws Error that names the variable and its valid values */
export function loadConfig({ isDemo }: { isDemo: boolean }) {
  const env = process.env;
  const folder = path.resolve(env["WAYMARK_DATA_DIR"] || path.join(root, ".waymark"));
  // The demo goes into no database that somebody uses for something else.
  const given = isDemo ? OWN_SERVERS.filter((name) => env[name]) : [];
  if (given.length > 0)
    throw new Error(
      `The demo has a database of its own, which npm start runs. Start it without ${given.join(" and ")}.`,
    );
  return Object.freeze({
    host: env["HOST"] ?? "127.0.0.1",
    port: portNumber("PORT", env["PORT"] ?? "3000"),
    metricsHost: env["METRICS_HOST"] ?? "127.0.0.1",
    /** The api's; the worker's is the next one. */
    metricsPort: portNumber("METRICS_PORT", env["METRICS_PORT"] ?? "9464"),
    examplePort: portNumber("EXAMPLE_API_PORT", env["EXAMPLE_API_PORT"] ?? "8077"),
    /** The demo's is within the other one: they share nothing, and deleting it deletes the demo. */
    dataFolder: isDemo ? path.join(folder, "demo") : folder,
    isDemo,
    /** A server of the user's own; undefined means the embedded one. */
    databaseUrl: env["DATABASE_URL"] || undefined,
    /** The services' address on it; undefined means a generated login. */
    serviceDatabaseUrl: env["SERVICE_DATABASE_URL"] || undefined,
    /** The services work with the owner's login: the server has none for them. */
    allowPrivilegedLogin: env["ALLOW_PRIVILEGED_DATABASE_LOGIN"] === "true",
  });
}

function portNumber(name: string, value: string): number {
  const port = Number(value);
  if (Number.isInteger(port) && port > 0 && port < 65_535) return port;
  throw new Error(`${name} is ${JSON.stringify(value)}; it must be a whole number from 1 to 65534.`);
}
