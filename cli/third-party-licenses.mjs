// Collects the licence texts of the packages in the bundle: most licences require that their text goes with the code.
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

const PACKAGE_FOLDER = /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+/;

/** @param {string[]} files the bundled files, as paths from the working directory */
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
