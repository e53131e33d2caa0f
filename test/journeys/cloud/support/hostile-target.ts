// The targets of the hostile cases, each below a path of its own, in a process of their own: what they do to produce their answers
// must not slow down the target of the neighbours. Sends its port to its parent, and ends with it.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { giveWay } from "@waymark/journey-sandbox/give-way.ts";
import { isLong } from "@waymark/test-support/scale.ts";
import { hostileCases } from "./hostile-cases.ts";

// In reality they run on another machine. Only the long form measures, and has the machine to itself.
if (isLong) giveWay(process.pid);
const cases = await hostileCases();
const server = createServer((request, response) => {
  request.resume();
  const [, which = ""] = (request.url ?? "").split("/");
  // The other side closes what it does not want to read.
  response.socket?.on("error", () => undefined);
  request.on("end", () => cases[Number(which)]?.answer(request, response));
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("disconnect", () => process.exit());
