import { quoteShell } from "../../lib/quote-shell.ts";
import type { StepResult } from "./step-result.ts";

type SentRequest = NonNullable<StepResult["evidence"]>["request"];

/** The text that the engine writes in place of a secret. */
const HIDDEN = "[redacted]";
/** curl derives them from the rest. */
const DERIVED = new Set(["host", "content-length", "connection", "accept-encoding", "transfer-encoding"]);

export interface CurlCommand {
  text: string;
  /** The shell variables that stand for hidden values, in their order. */
  variables: string[];
}

/**
 * The command that sends a request of a step again. Each hidden value is a shell variable: Waymark doesn't reveal it.
 */
export function curlCommand({ method, url, headers, body }: SentRequest): CurlCommand {
  const variables: string[] = [];
  const argument = (text: string) => {
    const [first = "", ...others] = text.split(HIDDEN);
    return others.reduce(
      (written, part) => {
        const name = `SECRET_${variables.length + 1}`;
        variables.push(name);
        return `${written}"$${name}"${part === "" ? "" : quoteShell(part)}`;
      },
      first === "" && others.length > 0 ? "" : quoteShell(first),
    );
  };
  const parts = [
    `curl --request ${quoteShell(method)} ${argument(url)}`,
    ...headers
      .filter(([name]) => !DERIVED.has(name.toLowerCase()))
      .map(([name, value]) => `--header ${argument(`${name}: ${value}`)}`),
    ...(body === undefined || body === "" ? [] : [`--data-raw ${argument(body)}`]),
  ];
  return { text: parts.join(" \\\n  "), variables };
}
