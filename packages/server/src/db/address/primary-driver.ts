import { createPgDriverFactory } from "@slonik/pg-driver";
import type { Driver, DriverFactory } from "slonik";
import { pgLogin, slonikAddress } from "./connection.ts";
import { createPrimaryFinder } from "./find-primary.ts";
import type { DatabaseHost } from "./parse.ts";

/**
 * Returns how Slonik connects to an address. Clients of an address with several hosts connect to the one that accepts writes: a
 * driver of Slonik knows one host, so there is one for each host that was the primary.
 *
 * @throws DatabaseAddressError
 */
export function primaryDriverFactory(
  databaseUrl: string,
  { applicationName }: { applicationName: string },
): DriverFactory {
  const { hosts, login } = pgLogin(databaseUrl);
  const findPrimary = createPrimaryFinder(hosts, login);
  return async ({ driverConfiguration }) => {
    const drivers = new Map<DatabaseHost, Promise<Driver>>();
    const driverOf = async (host: DatabaseHost) => {
      const known = drivers.get(host);
      if (known !== undefined) return known;
      const opened = createPgDriverFactory()({
        driverConfiguration: {
          ...driverConfiguration,
          connectionUri: slonikAddress(databaseUrl, { ...host, applicationName }),
        },
      });
      drivers.set(host, opened);
      // It asks its host for types, which may fail.
      opened.catch(() => drivers.delete(host));
      return opened;
    };
    await driverOf(await findPrimary());
    return {
      createClient: async () => (await driverOf(await findPrimary())).createClient(),
    };
  };
}
