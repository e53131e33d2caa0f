import { mapTexts } from "./redact.ts";
import type { Redactor } from "./redact.ts";

const PLACEHOLDER = "[redacted]";

/** Keys and tokens that are known by their form. Each part has an upper bound, so that no text takes long to search. */
const SHAPES = new RegExp(
  [
    // Waymark: keys and sessions.
    "wm[ks]_[0-9A-Za-z_-]{20,200}",
    // AWS, GitHub, GitLab, npm, Slack, Stripe, Google.
    "(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Z])",
    "gh[pousr]_[0-9A-Za-z]{36,255}",
    "github_pat_[0-9A-Za-z_]{22,255}",
    "glpat-[0-9A-Za-z_-]{20,255}",
    "npm_[0-9A-Za-z]{36}",
    "xox[abeoprs]-[0-9A-Za-z-]{10,255}",
    "[rs]k_(?:live|test)_[0-9A-Za-z]{16,255}",
    "AIza[0-9A-Za-z_-]{35}",
    // JSON Web Tokens.
    String.raw`eyJ[0-9A-Za-z_-]{8,4096}\.eyJ[0-9A-Za-z_-]{8,8192}\.[0-9A-Za-z_-]{8,4096}`,
  ]
    .map((shape) => `(?<![0-9A-Za-z_-])${shape}`)
    // Private keys in PEM.
    .concat("-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]{1,16384}")
    .join("|"),
  "g",
);

/** A redactor that also removes what has the form of a key. */
export function withKeyShapes(redactor: Redactor): Redactor {
  let replaced = 0;
  const cleanText = (text: string) =>
    text.replaceAll(SHAPES, () => {
      replaced++;
      return PLACEHOLDER;
    });
  return {
    ...redactor,
    clean: (value) => mapTexts(redactor.clean(value), cleanText),
    count: () => redactor.count() + replaced,
    isEmpty: () => false,
  };
}
