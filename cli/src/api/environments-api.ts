import * as operations from "@waymark/shared/environments/operations.ts";
import { Environment as FullEnvironment, JourneyRelease } from "@waymark/shared/environments/schema.ts";
import { EnvironmentSecret } from "@waymark/shared/environments/secrets/schema.ts";
import { z } from "zod";
import { type ApiConnection, call, callWithoutResult } from "./api-client.ts";
import { usageError } from "../lib/cli-error.ts";
import { printable } from "../lib/text.ts";
import { collectItems, readPages } from "./read-pages.ts";
import { isUuid } from "../lib/uuid.ts";

// The fields that the command shows or keeps. The response may have more.

const Environment = FullEnvironment.pick({
  id: true,
  name: true,
  servers: true,
  variables: true,
  inputs: true,
  allowedHosts: true,
  protected: true,
  storesBodies: true,
  revision: true,
});
export type Environment = z.infer<typeof Environment>;

const EnvironmentDetails = Environment.extend({
  releases: z.array(JourneyRelease.pick({ journeyId: true, version: true })),
});
export type EnvironmentDetails = z.infer<typeof EnvironmentDetails>;

const Secret = EnvironmentSecret.pick({
  name: true,
  hosts: true,
  version: true,
  updatedAt: true,
  lastUsedAt: true,
});
export type Secret = z.infer<typeof Secret>;

const EnvironmentPage = z.object({ environments: z.array(Environment), nextCursor: z.string().optional() });

/** The settings that a request sets: all of an environment except what the server adds. */
export type EnvironmentSettings = Pick<Environment, "name"> &
  Partial<Omit<Environment, "id" | "name" | "revision">>;

export function listEnvironments(connection: ApiConnection): Promise<Environment[]> {
  const reading = { what: "listing environments", read: EnvironmentPage };
  const pages = readPages(connection, operations.listEnvironments, reading);
  return collectItems(pages, ({ environments }) => environments);
}

/** The environment with that name or id, or undefined if there is none. */
export async function findEnvironment(
  connection: ApiConnection,
  nameOrId: string,
): Promise<Environment | undefined> {
  if (isUuid(nameOrId)) return getEnvironment(connection, nameOrId);
  const name = nameOrId.toWellFormed();
  const reading = { what: "finding the environment", read: EnvironmentPage };
  const page = await call(connection, operations.listEnvironments, reading, { query: { name } });
  return page.environments.find((environment) => environment.name === name);
}

/** @throws {CliError} if there is no environment with that name or id */
export async function requireEnvironment(connection: ApiConnection, nameOrId: string): Promise<Environment> {
  const environment = await findEnvironment(connection, nameOrId);
  if (environment !== undefined) return environment;
  throw usageError(
    `There is no environment "${printable(nameOrId, 100)}". waymark environment list shows those that there are.`,
  );
}

export function getEnvironment(
  connection: ApiConnection,
  environmentId: string,
): Promise<EnvironmentDetails> {
  const reading = { what: "reading the environment", read: EnvironmentDetails };
  return call(connection, operations.getEnvironment, reading, { params: { environmentId } });
}

export function createEnvironment(
  connection: ApiConnection,
  settings: EnvironmentSettings,
): Promise<Environment> {
  const reading = { what: "creating the environment", read: Environment };
  return call(connection, operations.createEnvironment, reading, { body: settings });
}

/** @throws {CliError} if it was changed since that revision */
export function replaceEnvironment(
  connection: ApiConnection,
  { id, revision }: Pick<Environment, "id" | "revision">,
  settings: EnvironmentSettings,
): Promise<Environment> {
  const reading = { what: "changing the environment", read: Environment };
  return call(connection, operations.replaceEnvironment, reading, {
    params: { environmentId: id },
    headers: { "if-match": `"${revision}"` },
    body: settings,
  });
}

export async function deleteEnvironment(connection: ApiConnection, environmentId: string): Promise<void> {
  const reading = { what: "deleting the environment" };
  await callWithoutResult(connection, operations.deleteEnvironment, reading, { params: { environmentId } });
}

export async function listSecrets(connection: ApiConnection, environmentId: string): Promise<Secret[]> {
  const reading = { what: "listing secrets", read: z.object({ secrets: z.array(Secret) }) };
  const list = await call(connection, operations.listEnvironmentSecrets, reading, {
    params: { environmentId },
  });
  return list.secrets;
}

/** @param secret.hosts undefined for those of the environment's servers */
export async function setSecret(
  connection: ApiConnection,
  environmentId: string,
  { name, ...body }: { name: string; value: string; hosts?: string[] },
): Promise<void> {
  const params = { environmentId, name };
  await callWithoutResult(
    connection,
    operations.setEnvironmentSecret,
    { what: "setting the secret" },
    { params, body },
  );
}

export async function deleteSecret(
  connection: ApiConnection,
  environmentId: string,
  name: string,
): Promise<void> {
  const params = { environmentId, name };
  await callWithoutResult(
    connection,
    operations.deleteEnvironmentSecret,
    { what: "removing the secret" },
    { params },
  );
}
