import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export interface CollectedSpan {
  service: string;
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  links: { traceId: string; spanId: string }[];
  attributes: Record<string, unknown>;
}

export interface OtlpCollector extends AsyncDisposable {
  /** The value for OTEL_EXPORTER_OTLP_ENDPOINT. */
  endpoint: string;
  spans(): CollectedSpan[];
  /** Waits until there is such a span. */
  waitFor(matches: (span: CollectedSpan) => boolean): Promise<CollectedSpan>;
}

const WAIT_MS = 60_000;

interface OtlpValue {
  stringValue?: string;
  intValue?: number | string;
  boolValue?: boolean;
  doubleValue?: number;
}
interface OtlpAttribute {
  key: string;
  value: OtlpValue;
}
interface OtlpBody {
  resourceSpans: {
    resource: { attributes: OtlpAttribute[] };
    scopeSpans: {
      spans: (Omit<CollectedSpan, "service" | "attributes" | "links"> & {
        attributes?: OtlpAttribute[];
        links?: CollectedSpan["links"];
      })[];
    }[];
  }[];
}

/** A collector that receives OTLP over HTTP as JSON, and stores the spans. */
export async function startOtlpCollector(): Promise<OtlpCollector> {
  const spans: CollectedSpan[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      let text = "";
      for await (const chunk of request) text += String(chunk);
      if (request.method === "POST" && request.url === "/v1/traces") spans.push(...readSpans(text));
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => spans,
    async waitFor(matches) {
      const deadline = Date.now() + WAIT_MS;
      for (;;) {
        const span = spans.find(matches);
        if (span !== undefined) return span;
        if (Date.now() > deadline) {
          throw new Error(`No such span came; there are: ${JSON.stringify(spans, null, 1)}`);
        }
        await sleep(50);
      }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function readSpans(text: string): CollectedSpan[] {
  const body = JSON.parse(text) as OtlpBody;
  return body.resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(readAttributes(resource.attributes)["service.name"]);
    return scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({
        ...span,
        service,
        links: span.links ?? [],
        attributes: readAttributes(span.attributes ?? []),
      })),
    );
  });
}

function readAttributes(attributes: OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
