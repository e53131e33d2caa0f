import { networkInterfaces } from "node:os";
import { expect, it } from "vitest";
import { watchOwnAddresses } from "./own-addresses.ts";

async function ownOf(urls: string[], ports: number[] = []): Promise<string[]> {
  const own = await watchOwnAddresses({ urls, ports });
  await own.stop();
  return own.list().map(({ address, port }) => `${address} ${port}`);
}

it("has what listens on this machine at all of its addresses", async () => {
  const machine = Object.values(networkInterfaces()).flatMap(
    (list) => list?.map(({ address }) => address) ?? [],
  );
  const own = await ownOf(["postgres://u:p@localhost:5433/db", "redis://[::1]"], [3000, 0]);
  for (const address of ["127.0.0.1", "::1", "0.0.0.0", "::", ...machine]) {
    for (const port of [5433, 6379, 3000]) expect(own).toContain(`${address} ${port}`);
  }
  expect(own.filter((one) => one.endsWith(" 0"))).toEqual([]);
});

it.each([
  ["postgres://u:p@192.0.2.7/db", ["192.0.2.7 5432"]],
  ["rediss://:p@192.0.2.7:6380/1", ["192.0.2.7 6380"]],
  ["redis://[2001:db8::7]", ["2001:db8::7 6379"]],
  // The parameters of a Postgres URL override its host and port.
  ["postgres://u:p@ignored.invalid:1/db?host=192.0.2.8&port=6432", ["192.0.2.8 6432"]],
  ["postgres:///db?host=192.0.2.9", ["192.0.2.9 5432"]],
  ["postgres://u:p@%2Fvar%2Frun%2Fpostgresql/db", []],
  ["postgres:///db?host=/var/run/postgresql", []],
  ["redis://not-there.invalid:6379", []],
])("has the addresses of %s", async (url, expected) => {
  expect(await ownOf([url])).toEqual(expected);
});
