import path from "node:path";
import { root } from "../bootstrap/checkout.mjs";

export type DevConfig = ReturnType<typeof loadConfig>;

/** @throws Error that names the variable and its valid values */
export function loadConfig() {
  const env = process.env;
  return Object.freeze({
    host: env["HOST"] ?? "127.0.0.1",
    port: portNumber("PORT", env["PORT"] ?? "3000"),
    metricsHost: env["METRICS_HOST"] ?? "127.0.0.1",
    /** The api's; the worker's is the next one. */
    metricsPort: portNumber("METRICS_PORT", env["METRICS_PORT"] ?? "9464"),
    examplePort: portNumber("EXAMPLE_API_PORT", env["EXAMPLE_API_PORT"] ?? "8077"),
    dataFolder: path.resolve(env["WAYMARK_DATA_DIR"] || path.join(root, ".waymark")),
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
