import { createSecretKey, randomBytes, randomUUID } from "node:crypto";
import { query } from "@waymark/test-support/sql.ts";
import { createTestPools, type TestPools } from "@waymark/test-support/test-pools.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { withOrganization } from "../../db/organization.ts";
import type { KeyRing } from "../../encryption/key-ring.ts";
import { UnsealError } from "../../encryption/seal.ts";
import { openClientSecret, sealClientSecret } from "./client-secret.ts";
import { findProvider, insertProvider, setClientSecret } from "./queries.ts";

const KEY = { id: "k", key: createSecretKey(randomBytes(32)) };
const RING: KeyRing = { current: KEY, byId: new Map([["k", KEY]]) };
const SETTINGS = {
  displayName: "ID",
  clientId: "waymark",
  scopes: [],
  emailDomains: ["example.com"],
  groups: [],
  groupsClaim: "groups",
  trustsEmail: false,
  roles: [],
  teams: [],
};

let pools: TestPools;
beforeAll(async () => void (pools = await createTestPools()));
afterAll(() => pools[Symbol.asyncDispose]());

it("opens for its own provider and issuer only, and is stored encrypted", async () => {
  const organizationId = randomUUID();
  await query(pools.database, "INSERT INTO organizations (id, name) VALUES ($1, 'test')", [organizationId]);
  const issuer = "https://id.example";
  const [ref, other] = [0, 1].map(() => ({ organizationId, identityProviderId: randomUUID() }));
  if (ref === undefined || other === undefined) throw new Error("there are two");
  const read = () =>
    withOrganization(pools.services, organizationId, async (tx) => {
      const stored = await findProvider(tx, ref);
      if (stored === null) throw new Error("it is stored");
      return openClientSecret(tx, RING, stored);
    });
  await withOrganization(pools.services, organizationId, async (tx) => {
    for (const each of [ref, other])
      await insertProvider(tx, { ...each, issuer, createdBy: null, settings: SETTINGS });
    await setClientSecret(tx, {
      ...ref,
      sealed: await sealClientSecret(tx, RING, { ...ref, issuer, value: "s3cret" }),
    });
  });
  expect(await read()).toBe("s3cret");
  const rows = await query(pools.database, "SELECT encode(client_secret, 'escape') FROM identity_providers");
  expect(JSON.stringify(rows)).not.toContain("s3cret");

  await query(pools.database, "UPDATE identity_providers SET issuer = 'https://evil.example'");
  await expect(read()).rejects.toThrow(UnsealError);
  await query(pools.database, "UPDATE identity_providers SET issuer = $1", [issuer]);
  await withOrganization(pools.services, organizationId, async (tx) => {
    const sealed = await sealClientSecret(tx, RING, { ...other, issuer, value: "of the other" });
    await setClientSecret(tx, { ...ref, sealed });
  });
  await expect(read()).rejects.toThrow(UnsealError);
});
