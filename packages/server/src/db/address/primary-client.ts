import { Client, type ClientConfig } from "pg";
import { pgLogin } from "./connection.ts";
import { createPrimaryFinder, type PrimaryFinder } from "./find-primary.ts";

/** How pg connects: the settings of a client or a pool, and the class of its clients. */
export type PgConnection = ClientConfig & { Client: new (config?: ClientConfig) => Client };

/**
 * Returns how pg connects to an address, in the form that its pools take. Clients of an address with several hosts connect to
 * the one that accepts writes.
 *
 * @throws DatabaseAddressError
 */
export function pgConnection(databaseUrl: string): PgConnection {
  const { hosts, login } = pgLogin(databaseUrl);
  const [first, ...others] = hosts;
  if (others.length === 0) return { ...login, ...first, Client };
  return { ...login, Client: primaryClient(createPrimaryFinder(hosts, login)) };
}

/** Returns a client that is not connected yet. Its host is looked for when it connects, as that of a pool's client. */
export function createPgClient(databaseUrl: string, options: ClientConfig): Client {
  const { Client: ClientOfAddress, ...connection } = pgConnection(databaseUrl);
  return new ClientOfAddress({ ...connection, ...options });
}

type Connected = ((error: Error) => void) & ((error: null, client: Client) => void);

/** A subclass, because pools make their clients themselves, and a client has its host before it connects. */
function primaryClient(findPrimary: PrimaryFinder) {
  return class PrimaryClient extends Client {
    override connect(): Promise<Client>;
    override connect(callback: Connected): void;
    override connect(callback?: Connected): Promise<Client> | void {
      const connected = findPrimary().then((host) => {
        Object.assign(this, host);
        return super.connect();
      });
      if (callback === undefined) return connected;
      connected.then((client) => callback(null, client), callback);
    }
  };
}
