import { type DestinationStream, type Logger, pino } from "pino";
import { redactLine } from "./redact-line.ts";
import { createTickBufferedWriter } from "./tick-buffered-writer.ts";

export type { Logger } from "pino";

/**
 * JSON lines on standard output. What could carry a credential is removed even where somebody logs it: fields by
 * their name, and whatever looks like one in the finished line.
 */
export function createLogger(
  options: { service: "api" | "worker"; level: string },
  destination?: DestinationStream,
): Logger {
  const settings = {
    name: `waymark-${options.service}`,
    level: options.level,
    redact: {
      paths: [
        "req.headers",
        "headers",
        "*.headers",
        "authorization",
        "*.authorization",
        "apiKey",
        "*.apiKey",
        "rawKey",
        "*.rawKey",
      ],
      censor: "[redacted]",
    },
    hooks: { streamWrite: redactLine },
  };
  return pino(settings, destination ?? standardOutput());
}

/** Nothing is held beyond the turn of the event loop, nor at the process's end; pino itself flushes after `fatal`. */
function standardOutput(): DestinationStream {
  const output = createTickBufferedWriter(pino.destination({ dest: process.stdout.fd, sync: true }));
  process.on("exit", output.flushSync);
  return output;
}
