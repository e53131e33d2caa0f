import { createServer, type RequestListener } from "node:http";
import { onTestFinished } from "vitest";

/** Serves requests until the test has finished. @returns the server's address */
export async function serve(handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return `http://127.0.0.1:${address.port}`;
}
