import path from "node:path";

/** Whether a file is inside a folder after resolving symbolic links on both sides, so that none can lead outside. */
export async function isInsideFolder(file: string, folder: string): Promise<boolean> {
  const { realpath } = await import("node:fs/promises");
  const [target, root] = await Promise.all([realpath(file).catch(() => file), realpath(folder)]);
  const relative = path.relative(root, target);
  return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
