import type { Description as Contract } from "@waymark/contract-diff/read/description.ts";
import type { Position } from "@waymark/contract-diff/verdict.ts";

/** One of the two descriptions of a comparison. */
export interface ContractSide {
  contract: Contract;
  /** Replaces places in the contract by those that a person knows: a file as messages name it, with line and column. */
  place: (positions: readonly Position[]) => Promise<void>;
  /** Returns the absolute path of a file that `place` has named; undefined if it is on no disk. */
  fileOf: (named: string) => string | undefined;
}

/** The names that messages give to files. */
export interface FileNaming {
  /** @param file an absolute path */
  nameOf: (file: string) => string;
  /** False for a description that is not a file of this machine. */
  isOnDisk: (file: string) => boolean;
}
