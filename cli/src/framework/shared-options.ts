import { Option } from "clipanion";

/** `--ca-cert`, of every command that reaches a server. */
export function certificateOption() {
  return Option.String("--ca-cert", {
    description: "PEM file with further certificates to trust",
  });
}

/** `--config`, of every command that reads `waymark.yaml`. */
export function configOption() {
  return Option.String("--config", {
    description: "Read the settings from this file instead of the nearest waymark.yaml",
  });
}

/** The options that say which server to talk to, and with which key. */
export function apiKeyOption() {
  return Option.String("--api-key", {
    description: "Scoped API key (or SERVICE_API_KEY); - for standard input",
  });
}

export function apiKeyFileOption() {
  return Option.String("--api-key-file", {
    description: "File with the API key; - for standard input",
  });
}

export function apiUrlOption() {
  return Option.String("--api-url", {
    description:
      "Address of the server (or SERVICE_API_URL, SERVICE_BASE_URL; default http://127.0.0.1:3000)",
  });
}

export function allowHostOption() {
  return Option.Array("--allow-host", [], {
    description:
      "Send the key to this host although waymark.yaml names it; repeat it (or WAYMARK_ALLOWED_HOSTS, comma-separated)",
  });
}

export function allowHttpOption() {
  return Option.Boolean("--allow-http", {
    description: "Send the key unencrypted to another machine (or WAYMARK_ALLOW_HTTP=true)",
  });
}

/** `--format`, of the commands that print findings and changes. */
export function formatOption() {
  return Option.String("--format", {
    description:
      "How to print the result: text (default), json (one object), jsonl (a line for each finding, change and result)",
  });
}

/** `--json`, of the commands that have `--format`. */
export function jsonOption() {
  return Option.Boolean("--json", { description: "Short for --format json" });
}

/** `--overlay`, of every command that reads a journey with its overlays. */
export function overlayOption() {
  return Option.Array("--overlay", [], {
    description: "Overlay to apply to the journey; repeat it, they apply in this order",
  });
}

/** `--rules`, of every command that lints. */
export function rulesOption() {
  return Option.String("--rules", {
    description: "Lint with this ruleset (redocly.yaml) instead of the default rules",
  });
}

/** `--severity`, of every command that lints. */
export function severityOption() {
  return Option.Array("--severity", [], {
    description:
      "Give the findings of a rule this severity, as <rule>=<severity>, or leave them out with <rule>=off; repeat it",
  });
}

/** `--lint-timeout`, of every command that lints. */
export function lintTimeoutOption() {
  return Option.String("--lint-timeout", {
    description: "Maximum seconds of processor time for linting a description (default 120)",
  });
}

/** `--stdin-name`, of every command that reads a description. */
export function stdinNameOption() {
  return Option.String("--stdin-name", {
    description: "Path of the description that standard input provides, for its references and in reports",
  });
}

/** `--allow-plugins`, of every command that lints. */
export function pluginsOption() {
  return Option.Boolean("--allow-plugins", {
    description: "Run the plugins of the ruleset, which are code (or WAYMARK_ALLOW_PLUGINS=true)",
  });
}

/** `--include-path`, of every command that selects operations. */
export function includePathOption() {
  return Option.Array("--include-path", [], {
    description: "Take only operations of these paths, such as /users/**; repeat it",
  });
}

/** `--exclude-path`, of every command that selects operations. */
export function excludePathOption() {
  return Option.Array("--exclude-path", [], {
    description: "Leave out the operations of these paths; repeat it",
  });
}

/** `--tag`, of every command that selects operations. */
export function tagOption() {
  return Option.Array("--tag", [], { description: "Take only operations with this tag; repeat it" });
}
