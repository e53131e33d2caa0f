import type { DevConfig } from "./config.ts";
import { serviceLogin, type ServiceLogin } from "./private-files.ts";

/** What each process gets: no secret of another's. */
export interface Environments {
  migrate: NodeJS.ProcessEnv;
  admin: NodeJS.ProcessEnv;
  /** Of api and worker. */
  services: NodeJS.ProcessEnv;
}

const SECRETS = ["DATABASE_URL", "DATABASE_DIRECT_URL", "SERVICE_DATABASE_URL", "REDIS_URL"];

/** Only `migrate` and `admin` know the owner's address, and not the one of Redis; api and worker have a login of their own. */
export function createEnvironments(config: DevConfig, ownerUrl: string): Environments {
  const others = withoutSecrets(process.env);
  // A direct address of the user's belongs to the database of the user's.
  const ownerDirectUrl =
    config.databaseUrl === undefined ? undefined : process.env["DATABASE_DIRECT_URL"] || undefined;
  const service = serviceAddresses(config, { ownerUrl, ownerDirectUrl });
  const owner = defined({ ...others, DATABASE_URL: ownerUrl, DATABASE_DIRECT_URL: ownerDirectUrl });
  const made = config.allowPrivilegedLogin ? undefined : service.url;
  return {
    migrate: defined({ ...owner, SERVICE_DATABASE_URL: made }),
    admin: owner,
    services: defined({
      ...others,
      DATABASE_URL: service.url,
      DATABASE_DIRECT_URL: service.directUrl,
      REDIS_URL: process.env["REDIS_URL"],
    }),
  };
}

/** The user's variables without those that hold a secret of ours. */
export function withoutSecrets(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !SECRETS.includes(name)));
}

function serviceAddresses(
  config: DevConfig,
  { ownerUrl, ownerDirectUrl }: { ownerUrl: string; ownerDirectUrl: string | undefined },
): { url: string; directUrl: string | undefined } {
  if (config.allowPrivilegedLogin) return { url: ownerUrl, directUrl: ownerDirectUrl };
  const login = givenLogin(config) ?? serviceLogin(config.dataFolder);
  return {
    url: config.serviceDatabaseUrl ?? withLogin(ownerUrl, login),
    directUrl: ownerDirectUrl === undefined ? undefined : withLogin(ownerDirectUrl, login),
  };
}

function givenLogin({ serviceDatabaseUrl }: DevConfig): ServiceLogin | undefined {
  if (serviceDatabaseUrl === undefined) return undefined;
  const { username, password } = new URL(serviceDatabaseUrl);
  return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
}

function withLogin(databaseUrl: string, { user, password }: ServiceLogin): string {
  const url = new URL(databaseUrl);
  url.username = encodeURIComponent(user);
  url.password = encodeURIComponent(password);
  return url.href;
}

function defined(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined));
}
