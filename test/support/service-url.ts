import { createHash } from "node:crypto";

const LOGIN = "waymark_test_service";

/**
 * The address that api and worker get, from the owner's: the same server or proxy and database, with the login that
 * `migrate` made for the services. One login for all databases of a test server; its password follows from the owner's,
 * so that test runs that share a server agree on it.
 */
export function serviceUrl(ownerUrl: string): string {
  const url = new URL(ownerUrl);
  if (url.username === LOGIN) return ownerUrl;
  url.password = createHash("sha256").update(`service ${url.password}`).digest("base64url");
  url.username = LOGIN;
  return url.href;
}
