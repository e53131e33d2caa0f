import { pureSha256 } from "../compile/artifact.ts";
import type { Sha256 } from "../compile/artifact.ts";
import type { RootPath } from "./paths.ts";

/** How the files of a journey are reached. All paths are below one root, which is the caller's. */
export interface FileAccess {
  /** The bytes of a file, at most so many; undefined where there is none. @throws FileError */
  read: (path: RootPath, bytesMax: number) => Promise<Uint8Array | undefined>;
  /** The value of an OpenAPI description, JSON or YAML. @throws FileError */
  parse: (text: string, shown: string) => unknown;
  /** How a file is called in problems; without it, by its path. */
  show?: (path: RootPath) => string;
  /** Whether a description may refer to a file; without it, to every one below the root. */
  isAllowed?: (path: RootPath, description: RootPath) => boolean | Promise<boolean>;
  hash?: Sha256;
}

/** A file that can't be read or holds something else; the message says which and why. */
export class FileError extends Error {
  readonly details: readonly string[];

  constructor(message: string, options: { cause?: unknown; details?: readonly string[] } = {}) {
    super(message, options);
    this.details = options.details ?? [];
  }
}

export interface TextFile {
  path: RootPath;
  text: string;
  /** As it is called in problems. */
  shown: string;
  bytes: number;
  /** Over the file's bytes, in hexadecimal. */
  sha256: string;
}

/** The files of one journey, each read once. */
export interface Files {
  /** The file's text; undefined where there is no such file. @throws FileError */
  find: (path: RootPath, bytesMax?: number) => Promise<TextFile | undefined>;
  /** As `find`. @throws FileError where there is no such file */
  read: (path: RootPath, bytesMax?: number) => Promise<TextFile>;
  parse: (text: string, shown: string) => unknown;
  isAllowed: (path: RootPath, description: RootPath) => boolean | Promise<boolean>;
  show: (path: RootPath) => string;
  /** Paths by the names that are shown, of all that was read. */
  names: ReadonlyMap<string, RootPath>;
}

const BYTES_MAX = 16 * 1024 * 1024;

export function openFiles(access: FileAccess): Files {
  const { hash = pureSha256, show = (path) => path, isAllowed = () => true } = access;
  const names = new Map<string, RootPath>();
  const known = new Map<RootPath, Promise<TextFile | undefined>>();
  const open = async (path: RootPath, bytesMax: number): Promise<TextFile | undefined> => {
    const bytes = await access.read(path, bytesMax);
    if (bytes === undefined) return undefined;
    const shown = show(path);
    names.set(shown, path);
    if (bytes.length > bytesMax)
      throw new FileError(`${shown} is too large: at most ${bytesMax} bytes are read.`);
    return { path, shown, text: decoded(bytes, shown), bytes: bytes.length, sha256: hash(bytes) };
  };
  const find = (path: RootPath, bytesMax = BYTES_MAX): Promise<TextFile | undefined> => {
    const file = known.get(path) ?? open(path, bytesMax);
    known.set(path, file);
    return file;
  };
  return {
    find,
    read: async (path, bytesMax) => {
      const file = await find(path, bytesMax);
      if (file === undefined) throw new FileError(`Can't read ${show(path)}: there is no such file.`);
      return file;
    },
    parse: access.parse,
    isAllowed,
    show,
    names,
  };
}

function decoded(bytes: Uint8Array, shown: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new FileError(`${shown} is not a text file in UTF-8.`, { cause: error });
  }
}
