import { loadDescription } from "@waymark/contract-diff/read/load-description.ts";
import { textWithLines } from "@waymark/contract-diff/report/locate-verdicts.ts";
import { identifyOpenApi } from "../../openapi/identify.ts";
import { parseDocument } from "../../openapi/parse-document.ts";
import type { ContractSide } from "./contract-side.ts";

/** Returns the contract of a description in one text, which is on no disk. @throws {CliError} if it is none */
export async function storedContract(text: string, name: string): Promise<ContractSide> {
  const document = await parseDocument(text, name);
  // Another document has no operations, so that none of them could break.
  await identifyOpenApi(document, name);
  return {
    contract: await loadDescription({ text: textWithLines(text), document, name }),
    place: async (positions) => {
      for (const position of positions) position.file = name;
    },
    fileOf: () => undefined,
  };
}
