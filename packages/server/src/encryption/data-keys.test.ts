import { createSecretKey, randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { query } from "@waymark/test-support/sql.ts";
import { createTestPools, type TestPools } from "@waymark/test-support/test-pools.ts";
import { withOrganization } from "../db/organization.ts";
import { currentDataKey, openDataKeys, rotateDataKeys } from "./data-keys.ts";
import type { KeyRing, RingKey } from "./key-ring.ts";
import { UnsealError } from "./seal.ts";

let pools: TestPools;
beforeAll(async () => void (pools = await createTestPools()));
afterAll(() => pools[Symbol.asyncDispose]());
beforeEach(() => query(pools.database, "DELETE FROM data_keys"));

const [k1, k2, k3] = ["k1", "k2", "k3"].map((id): RingKey => ({ id, key: createSecretKey(randomBytes(32)) }));
const ringOf = (...keys: (RingKey | undefined)[]): KeyRing => {
  const known = keys.filter((key) => key !== undefined);
  const [current] = known;
  if (current === undefined) throw new Error("a ring has at least one key");
  return { current, byId: new Map(known.map((key) => [key.id, key])) };
};

async function newOrganization(): Promise<string> {
  const id = randomUUID();
  await query(pools.database, "INSERT INTO organizations (id, name) VALUES ($1, 'test')", [id]);
  return id;
}

const currentKey = (organizationId: string, ring: KeyRing) =>
  withOrganization(pools.services, organizationId, (tx) => currentDataKey(tx, ring, organizationId));
const keyOf = (organizationId: string, ring: KeyRing, id: string) =>
  withOrganization(pools.services, organizationId, async (tx) =>
    (await openDataKeys(tx, ring, { organizationId, ids: [id] })).get(id)?.export(),
  );

it("an organization has one data key, also when many need the first at once, and none of another's", async () => {
  const [ours, theirs] = [await newOrganization(), await newOrganization()];
  const made = await Promise.all(Array.from({ length: 8 }, () => currentKey(ours, ringOf(k1))));
  expect(new Set(made.map(({ id }) => id)).size).toBe(1);
  expect(new Set(made.map(({ key }) => key.export().toString("hex"))).size).toBe(1);
  const other = await currentKey(theirs, ringOf(k1));
  expect(other.key.equals(made[0]?.key ?? other.key)).toBe(false);
  expect(await keyOf(theirs, ringOf(k1), made[0]?.id ?? "")).toBeUndefined();
});

it("a data key that was moved to another organization or id does not open, nor one that was changed", async () => {
  const [ours, theirs] = [await newOrganization(), await newOrganization()];
  const { id } = await currentKey(ours, ringOf(k1));
  const moved = randomUUID();
  for (const [organizationId, newId] of [
    [theirs, id],
    [ours, moved],
  ] as const) {
    await query(
      pools.database,
      `INSERT INTO data_keys (organization_id, id, wrapped_key, nonce, kek_id)
       SELECT $1, $2, wrapped_key, nonce, kek_id FROM data_keys WHERE organization_id = $3 AND id = $4`,
      [organizationId, newId, ours, id],
    );
    await expect(keyOf(organizationId, ringOf(k1), newId)).rejects.toThrow(UnsealError);
  }
  await query(
    pools.database,
    "UPDATE data_keys SET wrapped_key = set_byte(wrapped_key, 5, (get_byte(wrapped_key, 5) + 1) % 256)",
  );
  await expect(keyOf(ours, ringOf(k1), id)).rejects.toThrow(UnsealError);
});

it("a ring that lacks the key says which one, and makes no second data key", async () => {
  const ours = await newOrganization();
  const { id } = await currentKey(ours, ringOf(k1));
  await expect(keyOf(ours, ringOf(k2), id)).rejects.toThrow(/need the key "k1"/);
  await expect(currentKey(ours, ringOf(k2))).rejects.toThrow(/need the key "k1"/);
  expect(await query(pools.database, "SELECT FROM data_keys")).toHaveLength(1);
});

it("a rotation wraps every organization's data key anew and changes none, while others are made", async () => {
  const organizations = await Promise.all(Array.from({ length: 30 }, newOrganization));
  const before = new Map(
    await Promise.all(
      organizations.slice(0, 20).map(async (id) => [id, await currentKey(id, ringOf(k1))] as const),
    ),
  );
  const [{ rotated }] = await Promise.all([
    rotateDataKeys(pools.owner, ringOf(k2, k1)),
    // A process that was not started anew yet.
    ...organizations.slice(20).map((id) => currentKey(id, ringOf(k1, k2))),
  ]);
  expect(rotated).toBeGreaterThanOrEqual(20);
  const last = await rotateDataKeys(pools.owner, ringOf(k2, k1));
  expect(last.needed).toEqual(["k2"]);
  for (const [organizationId, { id, key }] of before) {
    expect(await keyOf(organizationId, ringOf(k2), id)).toEqual(key.export());
  }
  expect(await rotateDataKeys(pools.owner, ringOf(k2))).toEqual({
    rotated: 0,
    needed: ["k2"],
    unreadable: [],
  });
});

it("a rotation leaves what it can't read, says why, and does the rest", async () => {
  const organizations = (
    await Promise.all([newOrganization(), newOrganization(), newOrganization()])
  ).toSorted();
  const [missing = "", damaged = "", good = ""] = organizations;
  const { id, key } = await currentKey(missing, ringOf(k1));
  const broken = await currentKey(damaged, ringOf(k3));
  const { id: goodId, key: goodKey } = await currentKey(good, ringOf(k3));
  await query(pools.database, "UPDATE data_keys SET nonce = decode(repeat('ab', 12), 'hex') WHERE id = $1", [
    broken.id,
  ]);
  expect(await rotateDataKeys(pools.owner, ringOf(k2, k3))).toEqual({
    rotated: 1,
    needed: ["k1", "k2", "k3"],
    unreadable: [
      { organizationId: missing, dataKeyId: id, reason: expect.stringContaining('need the key "k1"') },
      {
        organizationId: damaged,
        dataKeyId: broken.id,
        reason: expect.stringContaining("can't be decrypted"),
      },
    ],
  });
  expect(await keyOf(missing, ringOf(k1), id)).toEqual(key.export());
  expect(await keyOf(good, ringOf(k2), goodId)).toEqual(goodKey.export());
});
