import { createHash } from "node:crypto";
import type {
  NormalizedEndpoint,
  NormalizedFinding,
  ScanIngestionResult,
} from "@waymark/shared/scans/schema.ts";
import { HTTP_METHODS } from "@waymark/shared/scans/limits.ts";
import { scanPayload } from "../scan-payload.ts";
import { waitForRun } from "../scans.ts";
import type { Stack } from "../stack.ts";
import { waitUntil } from "../wait-until.ts";

type Host = Pick<Stack, "http">;

const BOOK = { $ref: "#/components/schemas/Book" };
const content = (schema: object) => ({ "application/json": { schema } });
const isbn = { name: "isbn", in: "path", required: true, schema: { type: "string" } };
const operation = (tag: string, operationId: string, more: object = {}) => ({
  operationId,
  tags: [tag],
  summary: `${operationId} of the ${tag}`,
  responses: { 200: { description: "Done.", content: content(BOOK) } },
  ...more,
});

/** The part of a description that its endpoints are read from. */
export interface DescribedService {
  paths: Record<string, Record<string, object>>;
}

/** The description of a bookshop. */
export function bookshop() {
  return {
    openapi: "3.1.0",
    info: { title: "Bookshop", version: "1.4.0" },
    paths: {
      "/books": {
        get: operation("catalogue", "listBooks"),
        post: operation("catalogue", "addBook", { requestBody: { content: content(BOOK) } }),
      },
      "/books/{isbn}": {
        get: operation("catalogue", "getBook", { parameters: [isbn] }),
        delete: operation("catalogue", "removeBook", {
          parameters: [isbn],
          responses: { 204: { description: "Gone." } },
        }),
      },
      "/baskets": { post: operation("baskets", "createBasket") },
      "/health": { get: { responses: { 204: { description: "It works." } } } },
    } as Record<string, Record<string, object>>,
    components: {
      schemas: {
        Book: {
          type: "object",
          required: ["isbn", "title"],
          properties: {
            isbn: { type: "string" },
            title: { type: "string" },
            price: { type: "number" },
          } as Record<string, object>,
        },
      },
    },
  };
}

/** A bookshop whose price may be null in all answers, that requires an author, without `DELETE /books/{isbn}`, and with orders. */
export function changedBookshop() {
  const description = bookshop();
  const { paths, components } = description;
  delete paths["/books/{isbn}"]?.["delete"];
  paths["/baskets"] = { post: operation("baskets", "createBasket", { summary: "Begins a basket" }) };
  paths["/orders"] = { post: operation("orders", "orderBasket") };
  components.schemas.Book.required.push("author");
  Object.assign(components.schemas.Book.properties, {
    author: { type: "string" },
    price: { type: ["number", "null"] },
  });
  return description;
}

export const NEW_FINDINGS: NormalizedFinding[] = [
  ...["/books", "/orders", "/baskets"].map((path) => ({
    code: "operation-4xx-response",
    severity: "medium" as const,
    message: "Operation must have at least one `4XX` response.",
    method: path === "/books" ? ("GET" as const) : ("POST" as const),
    path,
  })),
  {
    code: "tag-description",
    severity: "low",
    message: "The tag orders has no description.",
    method: null,
    path: null,
  },
];

/** Scans a description with its tags and summaries, and waits until it is stored. */
export async function scanTagged(
  { http }: Host,
  options: {
    serviceName: string;
    description: DescribedService;
    findings?: NormalizedFinding[];
    headers?: Record<string, string>;
    /** A file that journeys have as this service's description. */
    file?: string;
  },
): Promise<ScanIngestionResult> {
  const { serviceName, description, findings = [], headers = {}, file = "" } = options;
  const payload = {
    ...scanPayload({ serviceName, endpoints: 0 }),
    endpoints: endpointsOf(description),
    findings,
  };
  payload.spec.hash = createHash("sha256").update(file).digest("hex");
  const { body } = await http.post<ScanIngestionResult>("/api/scans/ingest", payload, { headers });
  await waitForRun({ http }, body.scanRunId);
  const path = `/api/scan-runs/${body.scanRunId}/description`;
  const stored = await http.request("PUT", path, { body: description });
  if (stored.status !== 201) throw new Error(`PUT ${path}: ${stored.status} ${JSON.stringify(stored.body)}`);
  return body;
}

/** Waits until the description of a run is compared with that of the run before it. */
export async function waitUntilCompared({ http }: Host, scanRunId: string): Promise<void> {
  await waitUntil("the descriptions are compared", async () => {
    const { body } = await http.get<{ comparison: { status: string } }>(
      `/api/scan-runs/${scanRunId}/changes`,
    );
    return body.comparison.status === "compared";
  });
}

function endpointsOf({ paths }: DescribedService): NormalizedEndpoint[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    HTTP_METHODS.flatMap((method) => {
      const described: Partial<NormalizedEndpoint> | undefined = item[method.toLowerCase()];
      if (described === undefined) return [];
      const { operationId = null, tags = [], summary = null } = described;
      return [{ method, path, operationId, tags, summary }];
    }),
  );
}
