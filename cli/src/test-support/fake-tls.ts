import { connect } from "node:net";
import { createServer } from "node:tls";
import { generate } from "selfsigned";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "./run-captured.ts";

/** TLS before a server, with a certificate for waymark.test that nobody signed, as servers inside a company have them. */
export async function startTlsFront(url: string): Promise<{ port: number; certificate: string }> {
  const pems = await generate([{ name: "commonName", value: "waymark.test" }], {
    keyType: "ec",
    extensions: [
      { name: "basicConstraints", cA: true },
      {
        name: "subjectAltName",
        altNames: [
          { type: 2, value: "waymark.test" },
          { type: 7, ip: "127.0.0.1" },
        ],
      },
    ],
  });
  const server = createServer({ key: pems.private, cert: pems.cert }, (socket) => {
    const onward = connect(Number(new URL(url).port), "127.0.0.1");
    onward.on("error", () => socket.destroy());
    socket.on("error", () => onward.destroy());
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const folder = await temporaryFolder();
  return { port, certificate: await folder.write("ca.pem", pems.cert) };
}
