import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { NormalizedEndpoint, ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";

/** An api that answers 200 to everything, but for paths that end with `/broken`. */
export async function startAnswering(): Promise<AsyncDisposable & { url: string; port: number }> {
  const server = createServer((request, response) => {
    request.resume();
    const isBroken = (request.url ?? "").endsWith("/broken");
    response.writeHead(isBroken ? 500 : 200, { "content-type": "application/json" }).end('{"id":"7"}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const RESOURCES = [
  "carts",
  "clients",
  "coupons",
  "items",
  "orders",
  "prices",
  "refunds",
  "stores",
  "taxes",
  "users",
];

/** The 30 operations of the shop: of ten resources, the list, one of it, and making one. */
export const SHOP: readonly string[] = RESOURCES.flatMap((name) => [
  `GET /${name}`,
  `POST /${name}`,
  `GET /${name}/{${name}Id}`,
]);

/** The file of a description with these operations, which are named by method and path without its parameters. */
export function descriptionOf(operations: readonly string[]): string {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const [method = "", path = ""] = operation.split(" ");
    const parameters = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => ({
      name,
      in: "path",
      required: true,
      schema: { type: "string" },
    }));
    const responses = { "200": { description: "done" }, "500": { description: "broken" } };
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: { operationId: operationIdOf(operation), parameters, responses },
    };
  }
  return JSON.stringify({ openapi: "3.1.0", info: { title: "Shop", version: "1" }, paths });
}

/** Such as `get-items-one`. */
function operationIdOf(operation: string): string {
  return operation
    .toLowerCase()
    .replaceAll(/\{[^}]+\}/g, "one")
    .replaceAll(/[ /]+/g, "-");
}

/** The scan of a file with these operations. */
export function scanOf(serviceName: string, operations: readonly string[], file = ""): ScanIngestionPayload {
  return {
    service: { name: serviceName },
    spec: {
      hash: createHash("sha256").update(file).digest("hex"),
      format: "openapi",
      version: "1",
      title: "Shop",
    },
    endpoints: operations.map((operation): NormalizedEndpoint => {
      const [method = "", path = ""] = operation.split(" ");
      return { method: method as "GET", path, operationId: null, tags: [], summary: null };
    }),
    findings: [],
  };
}

/** A step of a journey of the shop. */
interface ShopStep {
  id: string;
  source: string;
  operation: string;
  /** Without a success criterion, the operation is called and not asserted. */
  expects?: number;
}

/** A criterion of a journey: its severity, and what proves it. */
type ShopCriteria = Readonly<Record<string, readonly [severity: string, ...provenBy: string[]]>>;

export function shopJourney(
  title: string,
  {
    sources,
    steps,
    criteria,
  }: { sources: Record<string, string>; steps: ShopStep[]; criteria: ShopCriteria },
): string {
  return JSON.stringify(
    {
      arazzo: "1.1.0",
      info: { title, version: "1.0.0" },
      sourceDescriptions: Object.entries(sources).map(([name, url]) => ({ name, type: "openapi", url })),
      workflows: [
        {
          workflowId: "main",
          steps: steps.map(({ id, source, operation, expects }) => ({
            stepId: id,
            operationId: `$sourceDescriptions.${source}.${operationIdOf(operation)}`,
            parameters: [...operation.matchAll(/\{([^}]+)\}/g)].map(([, name]) => ({
              name,
              in: "path",
              value: "7",
            })),
            ...(expects === undefined
              ? {}
              : { successCriteria: [{ "x-id": "ok", condition: `$statusCode == ${expects}` }] }),
          })),
          "x-journey": {
            acceptanceCriteria: Object.entries(criteria).map(([id, [severity, ...provenBy]]) => ({
              id,
              text: `What ${id} says`,
              severity,
              provenBy,
            })),
          },
        },
      ],
    },
    null,
    2,
  );
}
