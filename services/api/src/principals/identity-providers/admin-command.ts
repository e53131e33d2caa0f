import { readFile } from "node:fs/promises";
import type { EgressAllowance } from "@waymark/journey-transport/egress.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import type { KeyRing } from "@waymark/server/encryption/key-ring.ts";
import { listSignInDomains } from "@waymark/server/principals/identity-providers/queries.ts";
import { toError } from "@waymark/shared/lib/to-error.ts";
import {
  CreateIdentityProviderRequest,
  EmailDomain,
  type IdentityProvider,
} from "@waymark/shared/principals/identity-providers/schema.ts";
import { createProviderClient } from "../sign-in/provider-client.ts";
import { createProviderHttp } from "../sign-in/provider-http.ts";
import { describeProvider } from "./describe-provider.ts";
import { setProviderAsOperator } from "./set-provider.ts";

interface Command {
  organizationId: string;
  /** A file with what `POST /api/identity-providers` takes, as JSON. */
  file: string;
  /** The domains that lead to it on the sign-in page; undefined leaves them as they are. */
  signInDomains: readonly string[] | undefined;
  /** The address of the console. */
  baseUrl: string;
  keyRing: KeyRing | undefined;
  egressAllow: readonly EgressAllowance[];
}

/**
 * Adds an identity provider as the operator, or changes the one with the same issuer and client.
 *
 * @param db a pool of the database's owner
 * @throws Error that says what is wrong with the file, the domains or the issuer
 */
export async function setIdentityProvider(db: DatabasePool, command: Command): Promise<IdentityProvider> {
  const { organizationId, file, baseUrl, keyRing, egressAllow } = command;
  const request = await readRequest(file);
  const signInDomains = command.signInDomains?.map(readDomain);
  const http = createProviderHttp({ egressAllow });
  const dependencies = { db, keyRing, client: createProviderClient(http) };
  const provider = await setProviderAsOperator(dependencies, {
    organizationId,
    request,
    signInDomains,
  }).finally(() => http[Symbol.dispose]());
  const domains = await withOrganization(db, organizationId, (tx) => listSignInDomains(tx, organizationId));
  return describeProvider(provider, { baseUrl, domains });
}

async function readRequest(file: string): Promise<CreateIdentityProviderRequest> {
  let json: unknown;
  try {
    json = JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    // A fault of JSON quotes the text, which has a secret: it is no cause.
    if (error instanceof SyntaxError) json = undefined;
    else throw new Error(`${file}: ${toError(error).message}`, { cause: error });
  }
  if (json === undefined) throw new Error(`${file} is no JSON`);
  const parsed = CreateIdentityProviderRequest.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`${file}: ${issue?.path.join(".") ?? ""} ${issue?.message ?? "is not valid"}`);
}

function readDomain(text: string): string {
  const domain = EmailDomain.safeParse(text.toLowerCase());
  if (domain.success) return domain.data;
  throw new Error(`--sign-in-domain ${text}: must be a domain, such as example.com`);
}
