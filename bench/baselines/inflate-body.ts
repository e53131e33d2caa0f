import { promisify } from "node:util";
import { gunzip } from "node:zlib";

const inflate = promisify(gunzip);

/** A request's body as its client made it. On another thread, while the server reads the next request. */
export async function inflateBody(body: Buffer, encoding: string | undefined): Promise<Buffer> {
  return encoding === "gzip" ? inflate(body) : body;
}
