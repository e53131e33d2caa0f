import * as operations from "@waymark/shared/api-keys/operations.ts";
import { OwnApiKey } from "@waymark/shared/api-keys/schema.ts";
import type { z } from "zod";
import { type ApiConnection, call } from "./api-client.ts";

/** The fields of the command's own key that it needs, so that older servers with fewer fields work too. */
const OwnKey = OwnApiKey.pick({
  id: true,
  name: true,
  prefix: true,
  scopes: true,
  expiresAt: true,
  organizationId: true,
});
export type OwnKey = z.infer<typeof OwnKey>;

/** The metadata of the connection's own key. */
export function getOwnKey(connection: ApiConnection): Promise<OwnKey> {
  return call(connection, operations.getOwnApiKey, { what: "reading the key", read: OwnKey }, {});
}

/** The organization that the connection's key belongs to. */
export async function getOrganizationId(connection: ApiConnection): Promise<string> {
  const reading = { what: "reading the key", read: OwnKey.pick({ organizationId: true }) };
  return (await call(connection, operations.getOwnApiKey, reading, {})).organizationId;
}
