/** Why a command can't be applied. The document is not changed. */
export class EditRefused extends Error {
  readonly pointer: string;

  constructor(message: string, pointer = "") {
    super(message);
    this.name = "EditRefused";
    this.pointer = pointer;
  }
}
