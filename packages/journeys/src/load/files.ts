import { pureSha256 } from "../compile/artifact.ts";
import type { Sha256 } from "../compile/artifact.ts";
import type { ParsedDocument } from "@waymark/openapi/parse/parsed-document.ts";
import type { RootPath } from "./paths.ts";

/** Access to the files of a journey. All paths are relative to a root that the caller chooses. */
export interface FileAccess {
  /** The bytes of a file, at most this many; undefined if it doesn't exist. @throws FileError */
  read: (path: RootPath, bytesMax: number) => Promise<Uint8Array | undefined>;
  /** Parses an OpenAPI description, JSON or YAML. @throws FileError */
  parse: (text: string, shown: string) => Promise<ParsedDocument>;
  /** The name of a file in problems. Default: its path. */
  show?: (path: RootPath) => string;
  /** Whether a description may refer to a file. Default: to any below the root. */
  isAllowed?: (path: RootPath, description: RootPath) => boolean | Promise<boolean>;
  hash?: Sha256;
}

/** A file can't be read or has unexpected content; the message names it and the reason. */
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
  /** Its name in problems. */
  shown: string;
  bytes: number;
  /** Over the file's bytes, in hexadecimal. */
  sha256: string;
}

/** The files of one journey, each read once. */
export interface Files {
  /** The file's text; undefined if it doesn't exist. @throws FileError */
  find: (path: RootPath, bytesMax?: number) => Promise<TextFile | undefined>;
  /** Like `find`. @throws FileError if it doesn't exist */
  read: (path: RootPath, bytesMax?: number) => Promise<TextFile>;
  parse: FileAccess["parse"];
  isAllowed: (path: RootPath, description: RootPath) => boolean | Promise<boolean>;
  show: (path: RootPath) => string;
  /** The paths of all files read, by the names that are shown. */
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
