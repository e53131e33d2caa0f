// The licence texts of the packages whose code is inside the bundle: most licences ask for that wherever the code goes.
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

const PACKAGE_FOLDER = /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+/;

/** @param {string[]} files what was bundled, as paths from the working directory */
export async function thirdPartyLicenses(files) {
  const folders = new Set(files.flatMap((file) => PACKAGE_FOLDER.exec(file)?.[0] ?? []));
  const sections = new Set(await Promise.all([...folders].map(sectionOf)));
  return [...sections].toSorted().join(`\n${"-".repeat(80)}\n\n`);
}

async function sectionOf(folder) {
  const manifest = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
  const names = await readdir(folder);
  const texts = names.filter((name) => /^(licen[cs]e|notice)/i.test(name)).toSorted();
  const read = texts.map((name) => readFile(path.join(folder, name), "utf8"));
  const head = `${manifest.name} ${manifest.version} (${manifest.license})`;
  return `${[head, ...(await Promise.all(read))].map((text) => text.trim()).join("\n\n")}\n`;
}
