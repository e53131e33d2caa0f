import { z } from "zod";
import { Uuid } from "../../lib/schema.ts";
import { EVERY_PERMISSION } from "../../api-keys/schema.ts";
import { NoContent, operation } from "../../operations/operation.ts";
import * as addresses from "./addresses.ts";
import {
  CreateIdentityProviderRequest,
  IdentityProvider,
  IdentityProviderList,
  UpdateIdentityProviderRequest,
} from "./schema.ts";

const tag = "identity-providers";
const IdentityProviderParams = z.object({ identityProviderId: Uuid });
const BODY_BYTES_MAX = 64 * 1024;

const FULL_ACCESS =
  "A provider can say of anybody that they are an administrator. A session must have signed in " +
  "within the last 15 minutes.";

export const listIdentityProviders = operation({
  id: "listIdentityProviders",
  ...addresses.listIdentityProviders,
  summary: "List identity providers",
  tag,
  access: { needs: ["principals:read"] },
  responses: { 200: IdentityProviderList },
});

export const createIdentityProvider = operation({
  id: "createIdentityProvider",
  ...addresses.createIdentityProvider,
  summary: "Add an identity provider",
  description: `Its discovery document is read first. Register its redirectUri there afterwards. ${FULL_ACCESS}`,
  tag,
  access: { needs: [EVERY_PERMISSION] },
  needsRecentSignIn: true,
  body: CreateIdentityProviderRequest,
  bodyBytesMax: BODY_BYTES_MAX,
  responses: { 201: IdentityProvider },
  errors: [404, 409, 422],
});

export const updateIdentityProvider = operation({
  id: "updateIdentityProvider",
  ...addresses.updateIdentityProvider,
  summary: "Change an identity provider",
  description: `It holds from the next sign-in on. ${FULL_ACCESS}`,
  tag,
  access: { needs: [EVERY_PERMISSION] },
  needsRecentSignIn: true,
  params: IdentityProviderParams,
  body: UpdateIdentityProviderRequest,
  bodyBytesMax: BODY_BYTES_MAX,
  responses: { 200: IdentityProvider },
  errors: [409, 422],
});

export const deleteIdentityProvider = operation({
  id: "deleteIdentityProvider",
  ...addresses.deleteIdentityProvider,
  summary: "Delete an identity provider",
  description: `Its sessions end, and the roles that its groups gave. Its users stay, and their own keys. ${FULL_ACCESS}`,
  tag,
  access: { needs: [EVERY_PERMISSION] },
  needsRecentSignIn: true,
  params: IdentityProviderParams,
  responses: { 204: NoContent },
  errors: [409],
});
