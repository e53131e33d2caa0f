import path from "node:path";
import { type Environment, given } from "../lib/config.ts";

const FOLDERS = {
  config: { windows: "APPDATA", variable: "XDG_CONFIG_HOME", below: ".config" },
  cache: { windows: "LOCALAPPDATA", variable: "XDG_CACHE_HOME", below: ".cache" },
} as const;

/** Returns the user's folder for settings or for what can be made again; undefined without a home. */
export function userFolder(env: Environment, kind: keyof typeof FOLDERS): string | undefined {
  const { windows, variable, below } = FOLDERS[kind];
  const named = given(env[process.platform === "win32" ? windows : variable]);
  // The XDG specification ignores relative paths.
  if (named !== undefined && path.isAbsolute(named)) return named;
  const home = given(env["HOME"]);
  return home === undefined ? undefined : path.join(home, below);
}
