import type { Server } from "./load.ts";
import { ingestServer, type Product } from "./product.ts";

/** The permissions that docs/api-keys.md gives a pipeline. */
const PERMISSIONS = ["scans:create", "services:create", "services:update", "endpoints:write"];
const AT_ONCE = 8;

/** The api with a key for each service, bound to that service by its name, as docs/pipelines.md tells users to. */
export async function boundServer(
  product: Pick<Product, "port" | "apiKey">,
  services: readonly string[],
): Promise<Server> {
  const keys = new Map<string, string>();
  const left = services.values();
  const createKeys = async () => {
    for (const service of left) keys.set(service, await createBoundKey(product, service));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, createKeys));
  return {
    ...ingestServer(product),
    keyOf(service) {
      const key = keys.get(service);
      if (key === undefined) throw new Error(`there is no key for the service ${service}`);
      return key;
    },
  };
}

async function createBoundKey(
  { port, apiKey }: Pick<Product, "port" | "apiKey">,
  service: string,
): Promise<string> {
  const resourceConstraints = { serviceNames: [service] };
  const answer = await fetch(`http://127.0.0.1:${port}/api/api-keys`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({
      name: `CI of ${service}`,
      ownerPrincipalType: "service_account",
      scopes: PERMISSIONS.map((permission) => ({ permission, resourceConstraints })),
    }),
  });
  if (answer.status !== 201) throw new Error(`a key was answered with ${answer.status}`);
  const { rawKey } = (await answer.json()) as { rawKey: string };
  return rawKey;
}
