import manifest from "../../../cli/package.json" with { type: "json" };

/** Waymark's version. Its one source is the manifest of the command, which changesets raises. */
export const VERSION: string = manifest.version;
