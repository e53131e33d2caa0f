import { z } from "zod";
import { type ApiConnection, call, callWithoutContent } from "./api-client.ts";
import { usageError } from "./lib/cli-error.ts";
import { printable } from "./lib/text.ts";
import { readPages } from "./read-pages.ts";

// The fields that the command shows or keeps. The response may have more.

const Environment = z.object({
  id: z.string(),
  name: z.string(),
  servers: z.record(z.string(), z.string()),
  variables: z.record(z.string(), z.record(z.string(), z.string())),
  inputs: z.record(z.string(), z.unknown()),
  allowedHosts: z.array(z.string()),
  protected: z.boolean(),
  storesBodies: z.boolean(),
  revision: z.number(),
});
export type Environment = z.infer<typeof Environment>;

/** What a request sets: everything of an environment but what the server adds. */
export type EnvironmentSettings = Pick<Environment, "name"> &
  Partial<Omit<Environment, "id" | "name" | "revision">>;

const EnvironmentDetails = Environment.extend({
  releases: z.array(z.object({ journeyId: z.string(), version: z.number() })),
});
export type EnvironmentDetails = z.infer<typeof EnvironmentDetails>;

const Secret = z.object({
  name: z.string(),
  hosts: z.array(z.string()),
  version: z.number(),
  updatedAt: z.string(),
  lastUsedAt: z.string().nullable(),
});
export type Secret = z.infer<typeof Secret>;

const EnvironmentPage = z.object({
  environments: z.array(Environment),
  nextCursor: z.string().optional(),
});

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

export async function listEnvironments(connection: ApiConnection): Promise<Environment[]> {
  const environments: Environment[] = [];
  const request = { what: "listing environments", path: "/api/environments", schema: EnvironmentPage };
  for await (const page of readPages(connection, request)) environments.push(...page.environments);
  return environments;
}

/** The environment with that name or id, or undefined if there is none. */
export async function findEnvironment(
  connection: ApiConnection,
  nameOrId: string,
): Promise<Environment | undefined> {
  if (UUID.test(nameOrId)) return getEnvironment(connection, nameOrId);
  const wanted = nameOrId.toWellFormed();
  const page = await call(connection, {
    what: "finding the environment",
    method: "GET",
    path: `/api/environments?name=${encodeURIComponent(wanted)}`,
    schema: EnvironmentPage,
  });
  return page.environments.find(({ name }) => name === wanted);
}

/** @throws {CliError} if there is no environment with that name or id */
export async function requireEnvironment(connection: ApiConnection, nameOrId: string): Promise<Environment> {
  const environment = await findEnvironment(connection, nameOrId);
  if (environment !== undefined) return environment;
  throw usageError(
    `There is no environment "${printable(nameOrId, 100)}". waymark environment list shows those that there are.`,
  );
}

export function getEnvironment(connection: ApiConnection, id: string): Promise<EnvironmentDetails> {
  return call(connection, {
    what: "reading the environment",
    method: "GET",
    path: environmentPath(id),
    schema: EnvironmentDetails,
  });
}

export function createEnvironment(
  connection: ApiConnection,
  settings: EnvironmentSettings,
): Promise<Environment> {
  return call(connection, {
    what: "creating the environment",
    method: "POST",
    path: "/api/environments",
    ...jsonOf(settings),
    schema: Environment,
  });
}

/** @throws {CliError} if it was changed since that revision */
export function replaceEnvironment(
  connection: ApiConnection,
  { id, revision }: Pick<Environment, "id" | "revision">,
  settings: EnvironmentSettings,
): Promise<Environment> {
  const { headers, body } = jsonOf(settings);
  return call(connection, {
    what: "changing the environment",
    method: "PUT",
    path: environmentPath(id),
    headers: { ...headers, "if-match": `"${revision}"` },
    body,
    schema: Environment,
  });
}

export async function deleteEnvironment(connection: ApiConnection, id: string): Promise<void> {
  const path = environmentPath(id);
  await callWithoutContent(connection, { what: "deleting the environment", method: "DELETE", path });
}

export async function listSecrets(connection: ApiConnection, environmentId: string): Promise<Secret[]> {
  const { secrets } = await call(connection, {
    what: "listing secrets",
    method: "GET",
    path: `${environmentPath(environmentId)}/secrets`,
    schema: z.object({ secrets: z.array(Secret) }),
  });
  return secrets;
}

/** @param secret.hosts undefined for those of the environment's servers */
export async function setSecret(
  connection: ApiConnection,
  environmentId: string,
  { name, ...secret }: { name: string; value: string; hosts?: string[] },
): Promise<void> {
  await callWithoutContent(connection, {
    what: "setting the secret",
    method: "PUT",
    path: secretPath(environmentId, name),
    ...jsonOf(secret),
  });
}

export async function deleteSecret(
  connection: ApiConnection,
  environmentId: string,
  name: string,
): Promise<void> {
  const path = secretPath(environmentId, name);
  await callWithoutContent(connection, { what: "removing the secret", method: "DELETE", path });
}

function environmentPath(id: string): string {
  return `/api/environments/${encodeURIComponent(id.toWellFormed())}`;
}

function secretPath(environmentId: string, name: string): string {
  return `${environmentPath(environmentId)}/secrets/${encodeURIComponent(name)}`;
}

function jsonOf(value: unknown) {
  return { headers: { "content-type": "application/json" }, body: Buffer.from(JSON.stringify(value)) };
}
