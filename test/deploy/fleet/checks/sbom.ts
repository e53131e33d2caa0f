import { mustBe } from "../check.ts";

/** Prints the name and version of every package below /app, a line each, and then those of the SBOM. */
const LIST = `
  const { globSync, readFileSync } = require("node:fs");
  const read = (file) => JSON.parse(readFileSync(file, "utf8"));
  const own = ["packages/*/package.json", "services/*/package.json"];
  const packages = ["**/node_modules/*/package.json", "**/node_modules/@*/*/package.json", ...own]
    .flatMap((pattern) => globSync(pattern, { cwd: "/app" }))
    .map((file) => read("/app/" + file))
    .filter(({ name, version }) => name && version)
    .map(({ name, version }) => name + "@" + version);
  const listed = read("/app/sbom.cdx.json").components.map((component) => component["bom-ref"].split("|")[0]);
  console.log(JSON.stringify({ installed: [...new Set(packages)].sort(), listed: [...new Set(listed)].sort() }));`;

/**
 * @returns how many packages the image and its SBOM have
 * @throws Error that names the packages that only one of them has
 */
export async function checkSbom(inImage: (script: string) => Promise<string>): Promise<number> {
  const output = await inImage(`node --eval '${LIST}'`);
  const { installed, listed } = JSON.parse(output) as Record<"installed" | "listed", string[]>;
  const missing = installed.filter((name) => !listed.includes(name));
  const extra = listed.filter((name) => !installed.includes(name));
  mustBe("packages that the SBOM lacks", missing.join(), "");
  mustBe("packages that only the SBOM has", extra.join(), "");
  mustBe(
    "whether it lists Fastify",
    listed.some((name) => name.startsWith("fastify@")),
    true,
  );
  return listed.length;
}
