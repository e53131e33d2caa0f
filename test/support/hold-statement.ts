import { Client } from "pg";

export interface HeldStatement extends AsyncDisposable {
  /** Commits the transaction. Without it, the transaction is rolled back when this is disposed. */
  commit(): Promise<void>;
}

/** Begins a transaction as the database's owner, executes a statement, and leaves the transaction open with its locks. */
export async function holdStatement(
  { databaseUrl }: { databaseUrl: string },
  text: string,
  values: unknown[] = [],
): Promise<HeldStatement> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  let isOpen = true;
  const end = async () => {
    if (isOpen) await client.end();
    isOpen = false;
  };
  await client.query("BEGIN");
  await client.query(text, values);
  return {
    async commit() {
      await client.query("COMMIT");
      await end();
    },
    [Symbol.asyncDispose]: end,
  };
}
