import { expect, it } from "vitest";
import type { TransportRequest } from "@waymark/journeys/run/transport.ts";
import { guardSecrets } from "./guard-secrets.ts";

const VALUE = "s3cret/value+of=it";
const secrets = { TOKEN: { value: VALUE, hosts: ["api.example.com", "*.trusted.example:8443"] } };

async function send(request: Partial<TransportRequest> & { url: URL }): Promise<number> {
  const transport = guardSecrets(async () => ({ status: 200, headers: [], body: new Uint8Array() }), secrets);
  const { signal } = new AbortController();
  const sent = { method: "GET", headers: [], responseBytesMax: 1, signal, ...request };
  return (await transport(sent)).status;
}

it.each([
  ["in the path", { url: new URL(`https://other.example/${encodeURIComponent(VALUE)}`) }],
  ["in the query, in base64", { url: new URL(`https://other.example/?q=${btoa(`x:${VALUE}`)}`) }],
  ["in a header", { url: new URL("https://other.example/"), headers: [["X-A", `Bearer ${VALUE}`]] }],
  [
    "in a header, as basic credentials",
    { url: new URL("https://other.example/"), headers: [["Authorization", `Basic ${btoa(`me:${VALUE}`)}`]] },
  ],
  ["in the body, as JSON", { url: new URL("https://other.example/"), body: JSON.stringify({ a: VALUE }) }],
  [
    "in the body, as bytes",
    { url: new URL("https://other.example/"), body: new TextEncoder().encode(VALUE) },
  ],
  [
    "in the body, as bytes that are no UTF-8",
    { url: new URL("https://other.example/"), body: Buffer.from(`\xff\xfe${VALUE}\x80`, "latin1") },
  ],
  ["at another port of its host", { url: new URL("https://api.example.com:444/"), body: VALUE }],
  ["at a deeper label", { url: new URL("https://a.b.trusted.example:8443/"), body: VALUE }],
] as [string, Parameters<typeof send>[0]][])(
  "sends no secret to a host that it is not for: %s",
  async (_, request) => {
    await expect(send(request)).rejects.toMatchObject({
      code: "forbidden",
      message: expect.not.stringContaining(VALUE),
    });
  },
);

it("sends no part of a secret that is JSON, and none without the space around it", async () => {
  const parts = { KEY: { value: '{ "private_key": "a-private-key" }\n', hosts: ["api.example.com"] } };
  const transport = guardSecrets(async () => ({ status: 200, headers: [], body: new Uint8Array() }), parts);
  const { signal } = new AbortController();
  const url = new URL("https://other.example/");
  for (const body of ["x=a-private-key", '{ "private_key": "a-private-key" }'])
    await expect(
      transport({ method: "POST", url, headers: [], body, responseBytesMax: 1, signal }),
    ).rejects.toMatchObject({ code: "forbidden" });
});

it("sends no secret with letters beyond ASCII, in UTF-8 or in Latin-1", async () => {
  const umlauts = { KEY: { value: "größter-Schlüssel", hosts: ["api.example.com"] } };
  const transport = guardSecrets(async () => ({ status: 200, headers: [], body: new Uint8Array() }), umlauts);
  const { signal } = new AbortController();
  const url = new URL("https://other.example/");
  for (const encoding of ["utf8", "latin1"] as const) {
    const body = Buffer.concat([Buffer.from([0xff]), Buffer.from(umlauts.KEY.value, encoding)]);
    await expect(
      transport({ method: "POST", url, headers: [], body, responseBytesMax: 1, signal }),
    ).rejects.toMatchObject({ code: "forbidden" });
  }
});

it("sends a secret to its hosts, and other texts anywhere", async () => {
  expect(await send({ url: new URL("https://api.example.com/"), body: VALUE })).toBe(200);
  expect(await send({ url: new URL("https://a.trusted.example:8443/"), headers: [["X", VALUE]] })).toBe(200);
  expect(await send({ url: new URL("https://other.example/"), body: "nothing of it" })).toBe(200);
});
