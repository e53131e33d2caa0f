import { withLogin } from "@waymark/server/db/address/connection.ts";
import { parseDatabaseUrl } from "@waymark/server/db/address/parse.ts";
import type { DevConfig } from "./config.ts";
import { journeyKeys, serviceLogin, type ServiceLogin } from "./private-files.ts";

export type Environments = ReturnType<typeof createEnvironments>;

const SECRETS = ["DATABASE_URL", "DATABASE_DIRECT_URL", "SERVICE_DATABASE_URL", "REDIS_URL", "JOURNEY_KEYS"];

/**
 * Returns each process's variables. Only `migrate` and `admin` get the owner's address, and they don't get the address
 * of Redis; api and worker have a login of their own.
 */
export function createEnvironments(config: DevConfig, ownerUrl: string) {
  const others = withoutSecrets(process.env);
  // The user's direct address belongs to the user's database.
  const ownDatabase = config.databaseUrl !== undefined;
  const ownerDirectUrl = (ownDatabase && process.env["DATABASE_DIRECT_URL"]) || undefined;
  const login = loginOf(config);
  const asService = (url: string) => (login === undefined ? url : withLogin(url, login));
  const serviceUrl = config.serviceDatabaseUrl ?? asService(ownerUrl);
  const owner = { ...others, DATABASE_URL: ownerUrl, DATABASE_DIRECT_URL: ownerDirectUrl };
  return {
    migrate: { ...owner, SERVICE_DATABASE_URL: login && serviceUrl },
    admin: owner,
    /** The variables of api and worker. */
    services: {
      ...others,
      DATABASE_URL: login === undefined ? ownerUrl : serviceUrl,
      DATABASE_DIRECT_URL: ownerDirectUrl && asService(ownerDirectUrl),
      REDIS_URL: process.env["REDIS_URL"],
      JOURNEY_KEYS: process.env["JOURNEY_KEYS"] || journeyKeys(config.dataFolder),
    },
  };
}

/** The user's variables without Waymark's secrets. */
export function withoutSecrets(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !SECRETS.includes(name)));
}

/** The services' login; undefined when they work with the owner's. */
function loginOf(config: DevConfig): ServiceLogin | undefined {
  if (config.allowPrivilegedLogin) return undefined;
  if (config.serviceDatabaseUrl === undefined) return serviceLogin(config.dataFolder);
  const { user = "", password = "" } = parseDatabaseUrl(config.serviceDatabaseUrl);
  return { user, password };
}
