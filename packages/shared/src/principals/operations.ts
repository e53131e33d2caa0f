import { z } from "zod";
import { Uuid } from "../lib/schema.ts";
import { operation } from "../operations/operation.ts";
import { PageQuery } from "../operations/page-query.ts";
import * as addresses from "./addresses.ts";
import {
  ChangePrincipalStateRequest,
  CreateServiceAccountRequest,
  Principal,
  PrincipalFilterFields,
  PrincipalPage,
  RenamePrincipalRequest,
} from "./schema.ts";

const tag = "principals";
const PrincipalParams = z.object({ principalId: Uuid });

export const listPrincipals = operation({
  id: "listPrincipals",
  ...addresses.listPrincipals,
  summary: "List users and service accounts",
  description: "Newest first. Filters are combined with and.",
  tag,
  access: { needs: ["principals:read"] },
  query: PageQuery.extend(PrincipalFilterFields.shape),
  responses: { 200: PrincipalPage },
});

export const createServiceAccount = operation({
  id: "createServiceAccount",
  ...addresses.createServiceAccount,
  summary: "Create a service account",
  description:
    "A key belongs to it if the key is created with its id as ownerPrincipalId. It has no permissions of its own.",
  tag,
  access: { needs: ["principals:manage"] },
  body: CreateServiceAccountRequest,
  responses: { 201: Principal },
  errors: [409],
});

export const getPrincipal = operation({
  id: "getPrincipal",
  ...addresses.getPrincipal,
  summary: "Read a user or a service account",
  tag,
  access: { needs: ["principals:read"] },
  params: PrincipalParams,
  responses: { 200: Principal },
});

export const renamePrincipal = operation({
  id: "renamePrincipal",
  ...addresses.renamePrincipal,
  summary: "Rename a user or a service account",
  tag,
  access: { needs: ["principals:manage"] },
  params: PrincipalParams,
  body: RenamePrincipalRequest,
  responses: { 200: Principal },
});

export const disablePrincipal = operation({
  id: "disablePrincipal",
  ...addresses.disablePrincipal,
  summary: "Disable a user or a service account",
  description:
    "Its keys and their sessions are refused from the next request on, until it is enabled. Idempotent. It needs all permissions that are " +
    "taken. The keys that its keys created stay, unless they belong to it, too.",
  tag,
  access: { needs: ["principals:manage"] },
  params: PrincipalParams,
  body: ChangePrincipalStateRequest,
  // Allows disabling an owner whose keys use up the organization's limit.
  limits: "revocation",
  responses: { 200: Principal },
  errors: [409],
});

export const enablePrincipal = operation({
  id: "enablePrincipal",
  ...addresses.enablePrincipal,
  summary: "Enable a disabled user or service account",
  description: "Its keys that have not ended are usable again. It needs all permissions that are given.",
  tag,
  needsRecentSignIn: true,
  access: { needs: ["principals:manage"] },
  params: PrincipalParams,
  body: ChangePrincipalStateRequest,
  responses: { 200: Principal },
});
