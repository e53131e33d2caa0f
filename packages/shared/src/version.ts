import manifest from "../../../cli/package.json" with { type: "json" };

/** Waymark's version. Its one source is the manifest of the command. */
export const VERSION: string = manifest.version;
