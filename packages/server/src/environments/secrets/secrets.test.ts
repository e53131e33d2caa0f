import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { query } from "@waymark/test-support/sql.ts";
import { createTestPools, type TestPools } from "@waymark/test-support/test-pools.ts";
import { withOrganization } from "../../db/organization.ts";
import { rotateDataKeys } from "../../encryption/data-keys.ts";
import { type KeyRing, KeyRingField } from "../../encryption/key-ring.ts";
import { insertEnvironment } from "../queries.ts";
import { countSecrets, listSecrets } from "./queries.ts";
import { openSecrets, storeSecret } from "./secrets.ts";

const HOSTS = ["api.example.com"];

let pools: TestPools;
beforeAll(async () => void (pools = await createTestPools()));
afterAll(() => pools[Symbol.asyncDispose]());
beforeEach(async () => {
  await query(pools.database, "DELETE FROM environments");
  await query(pools.database, "DELETE FROM data_keys");
});

const newKey = (id: string) => `${id}:${randomBytes(32).toString("base64")}`;
const ringOf = (...keys: string[]): KeyRing => KeyRingField.parse(keys.join());
const [k1, k2] = [newKey("k1"), newKey("k2")];

interface Place {
  organizationId: string;
  environmentId: string;
}

async function newOrganization(): Promise<string> {
  const id = randomUUID();
  await query(pools.database, "INSERT INTO organizations (id, name) VALUES ($1, 'test')", [id]);
  return id;
}

async function newEnvironment(organizationId: string): Promise<Place> {
  const environmentId = randomUUID();
  await withOrganization(pools.services, organizationId, (tx) =>
    insertEnvironment(tx, {
      organizationId,
      id: environmentId,
      name: environmentId,
      servers: {},
      variables: {},
      inputs: {},
      allowedHosts: [],
      protected: false,
      storesBodies: true,
      createdByKeyId: randomUUID(),
    }),
  );
  return { organizationId, environmentId };
}

const set = (place: Place, name: string, value: string, ring = ringOf(k1)) =>
  withOrganization(pools.services, place.organizationId, async (tx) => {
    const { version } = await countSecrets(tx, { ...place, name });
    await storeSecret(tx, ring, {
      ...place,
      name,
      value,
      hosts: HOSTS,
      version: (version ?? 0) + 1,
      keyId: randomUUID(),
    });
  });
const open = (place: Place, names: string[], ring = ringOf(k1)) =>
  withOrganization(pools.services, place.organizationId, (tx) => openSecrets(tx, ring, { ...place, names }));

it("opens what was set last, with its hosts, and leaves out what is unknown", async () => {
  const place = await newEnvironment(await newOrganization());
  await set(place, "TOKEN", "first-value");
  await set(place, "TOKEN", "zweiter wert ö🦊\n");
  await set(place, "OTHER", "other-value");
  expect(await open(place, ["TOKEN", "MISSING"])).toEqual(
    new Map([["TOKEN", { value: "zweiter wert ö🦊\n", hosts: HOSTS }]]),
  );
});

it("records the use of those that were opened, at most once a minute", async () => {
  const place = await newEnvironment(await newOrganization());
  await set(place, "USED", "first-value");
  await set(place, "UNUSED", "other-value");
  const usesOf = async () =>
    (await withOrganization(pools.services, place.organizationId, (tx) => listSecrets(tx, place))).map(
      ({ name, lastUsedAt }) => [name, lastUsedAt] as const,
    );
  await open(place, ["USED"]);
  const first = new Map(await usesOf());
  expect([typeof first.get("USED"), first.get("UNUSED")]).toEqual(["string", null]);
  await open(place, ["USED"]);
  expect(new Map(await usesOf()).get("USED")).toBe(first.get("USED"));
  await query(
    pools.database,
    "UPDATE environment_secrets SET last_used_at = last_used_at - interval '61 seconds'",
  );
  await open(place, ["USED"]);
  expect(Date.parse(new Map(await usesOf()).get("USED") ?? "")).toBeGreaterThan(
    Date.parse(first.get("USED") ?? ""),
  );
});

describe("a row that was moved or changed in the database does not open, and is named:", () => {
  /** Secrets of two organizations and environments; `change` then works as who can write to the database. */
  async function tamper(change: string): Promise<unknown> {
    const [ours, theirs] = [await newOrganization(), await newOrganization()];
    const [here, beside, there] = [
      await newEnvironment(ours),
      await newEnvironment(ours),
      await newEnvironment(theirs),
    ];
    for (const place of [here, beside, there]) await set(place, "TOKEN", "value-of-ours");
    await set(here, "OTHER", "value-of-another");
    const from = (place: Place, name: string) =>
      `(SELECT s FROM environment_secrets s WHERE environment_id = '${place.environmentId}' AND name = '${name}')`;
    const text = change
      .replaceAll("{name}", from(here, "OTHER"))
      .replaceAll("{environment}", from(beside, "TOKEN"))
      .replaceAll("{organization}", from(there, "TOKEN"));
    await query(
      pools.database,
      `UPDATE environment_secrets SET ${text} WHERE environment_id = '${here.environmentId}' AND name = 'TOKEN'`,
    );
    return open(here, ["TOKEN"]);
  }

  it.each([
    ["another name's", "ciphertext = ({name}).ciphertext, nonce = ({name}).nonce"],
    ["another environment's", "ciphertext = ({environment}).ciphertext, nonce = ({environment}).nonce"],
    ["another organization's", "ciphertext = ({organization}).ciphertext, nonce = ({organization}).nonce"],
    ["an older version", "version = version + 1"],
    ["another host", "hosts = '{attacker.example}'"],
    ["one more host", "hosts = hosts || '{attacker.example}'"],
    ["a changed byte", "ciphertext = set_byte(ciphertext, 3, (get_byte(ciphertext, 3) + 1) % 256)"],
    [
      "a changed tag",
      "ciphertext = set_byte(ciphertext, length(ciphertext) - 1, (get_byte(ciphertext, length(ciphertext) - 1) + 1) % 256)",
    ],
    ["another nonce", "nonce = ({environment}).nonce"],
  ])("%s", async (_what, change) => {
    const opened = tamper(change);
    await expect(opened).rejects.toThrow("The secret TOKEN can't be decrypted");
    await expect(opened).rejects.not.toThrow("value-of");
  });

  it("the data key of another organization, moved along", async () => {
    const [ours, theirs] = [await newOrganization(), await newOrganization()];
    const [here, there] = [await newEnvironment(ours), await newEnvironment(theirs)];
    await set(there, "TOKEN", "value-of-theirs");
    await query(
      pools.database,
      `INSERT INTO data_keys (organization_id, id, wrapped_key, nonce, kek_id)
       SELECT $1, id, wrapped_key, nonce, kek_id FROM data_keys WHERE organization_id = $2`,
      [ours, theirs],
    );
    await query(
      pools.database,
      `INSERT INTO environment_secrets (organization_id, environment_id, name, ciphertext, nonce, data_key_id, hosts, version, updated_by_key_id)
       SELECT $1, $2, name, ciphertext, nonce, data_key_id, hosts, version, updated_by_key_id FROM environment_secrets WHERE organization_id = $3`,
      [ours, here.environmentId, theirs],
    );
    await expect(open(here, ["TOKEN"])).rejects.toThrow("can't be decrypted");
  });
});

it("without the key that wraps the data key, the message names it, for setting and for opening", async () => {
  const place = await newEnvironment(await newOrganization());
  await set(place, "TOKEN", "first-value");
  await expect(open(place, ["TOKEN"], ringOf(k2))).rejects.toThrow(/need the key "k1"/);
  await expect(set(place, "TOKEN", "another-value", ringOf(k2))).rejects.toThrow(/need the key "k1"/);
  expect((await open(place, ["TOKEN"])).get("TOKEN")?.value).toBe("first-value");
});

it("a rotation under load loses no secret: the new key alone opens all that was set before, during and after", async () => {
  const places = await Promise.all(
    Array.from({ length: 12 }, async () => newEnvironment(await newOrganization())),
  );
  const [before, during] = [ringOf(k1, k2), ringOf(k2, k1)];
  for (const place of places.slice(0, 8)) await set(place, "OLD", `old-${place.environmentId}`, before);

  const rotation = new AbortController();
  const isRotating = () => !rotation.signal.aborted;
  const written = new Map<string, string>();
  const writers = places.map(async (place, index) => {
    for (let n = 0; isRotating() || n < 3; n++) {
      // Processes are started anew one after the other: for a while, both orders are in use.
      const value = `${place.environmentId}-${n}`;
      await set(place, "NEW", value, index % 2 === 0 && isRotating() ? before : during);
      expect((await open(place, ["NEW"], n % 2 === 0 ? before : during)).get("NEW")?.value).toBe(value);
      written.set(place.environmentId, value);
    }
  });
  const rotations = async () => {
    for (let round = 0; round < 10; round++) {
      await rotateDataKeys(pools.owner, round % 2 === 0 ? during : before);
    }
    rotation.abort();
  };
  await Promise.all([rotations(), ...writers]);
  expect((await rotateDataKeys(pools.owner, during)).needed).toEqual(["k2"]);

  for (const [index, place] of places.entries()) {
    const opened = await open(place, ["OLD", "NEW"], ringOf(k2));
    expect(opened.get("NEW")?.value).toBe(written.get(place.environmentId));
    expect(opened.get("OLD")?.value).toBe(index < 8 ? `old-${place.environmentId}` : undefined);
  }
});
