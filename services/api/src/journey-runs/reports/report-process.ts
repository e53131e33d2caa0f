// The entry of the process that renders reports: a large one takes a second, in which the api's own loop must go on. It is no thread,
// because V8 ends the whole process when a thread needs more memory than it may have.
import { renderReport } from "@waymark/journeys/report/report.ts";
import type { RenderReply, RenderRequest } from "./render-in-process.ts";

process.on("disconnect", () => process.exit(0));
// An interrupt from the terminal is for the parent.
process.on("SIGINT", () => undefined);
process.on("message", (request: RenderRequest) => send(render(request)));
send({ kind: "ready" });

function send(reply: RenderReply): void {
  process.send?.(reply);
}

function render({ format, result }: RenderRequest): RenderReply {
  try {
    return { kind: "report", report: Buffer.from(renderReport(format, [JSON.parse(result)])) };
  } catch (error) {
    // Without the message: it may quote the result.
    return { kind: "fault", name: error instanceof Error ? error.name : "Error" };
  }
}
