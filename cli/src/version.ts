import manifest from "../package.json" with { type: "json" };

/** The version of this package, as `waymark --version` prints it. */
export const VERSION: string = manifest.version;
