import path from "node:path";
import type { JourneyResult } from "@waymark/journeys/result/result.ts";
import { DocumentPath } from "@waymark/shared/journeys/schema.ts";
import type { ApiConnection } from "../../../api/api-client.ts";
import { findSource, resultSource } from "../../../ci/source.ts";
import { given } from "../../../lib/config.ts";
import type { CliContext } from "../../../framework/context.ts";
import { CliError, EXIT_CODES } from "../../../lib/cli-error.ts";
import { describeFileError } from "../../../lib/describe-file-error.ts";
import { writeLine } from "../../../lib/output.ts";
import { createReporter } from "../../../lib/reporter.ts";
import { printable } from "../../../lib/text.ts";
import { spoolResult } from "../../../spool/result-spool.ts";
import { connect } from "../../../framework/connect.ts";
import type { ConnectionFlags } from "../../../framework/connection-flags.ts";
import { type ResultUpload, sendResult } from "./results-api.ts";

/** The options of `journey run` about uploads. */
export interface UploadOptions extends ConnectionFlags {
  upload: boolean | undefined;
  requireUpload: boolean | undefined;
  spool: string | undefined;
}

/** Uploads results as they come. */
export interface Uploader {
  /**
   * Never rejects: the result of a journey does not depend on the upload.
   * @param file the path of the journey's document, under which the server may have it
   */
  upload: (result: JourneyResult, file: string | undefined) => Promise<void>;
  /** 0 unless an upload failed that is required. */
  exitCode: () => number;
}

/** @throws {CliError} if the upload is required and can't work, before anything is run */
export async function openUploader(context: CliContext, options: UploadOptions): Promise<Uploader> {
  const isRequired = options.requireUpload === true;
  const folder = given(options.spool);
  const ci = resultSource(await findSource(context));
  const state: { problem?: CliError; connection?: ApiConnection } = {};
  try {
    state.connection = await connect(context, createReporter(context.stderr, { quiet: false }), options);
  } catch (error) {
    if (!(error instanceof CliError) || isRequired) throw error;
    state.problem = error;
  }
  let exitCode = 0;

  async function send(upload: ResultUpload): Promise<void> {
    const { problem, connection } = state;
    if (connection === undefined || problem !== undefined) throw problem;
    try {
      const { resultUrl } = await sendResult(connection, upload);
      writeLine(context.stderr, printable(`Uploaded: ${resultUrl}`, 500));
    } catch (error) {
      // Later uploads don't wait for a server that doesn't respond.
      if (error instanceof CliError && error.exitCode === EXIT_CODES.unavailable) state.problem = error;
      throw error;
    }
  }

  return {
    async upload(result, file) {
      const upload = { result, ci, path: DocumentPath.safeParse(file).data };
      try {
        await send(upload);
      } catch (error) {
        if (!(error instanceof CliError)) throw error;
        const kept = await keep(context, { folder, upload, error });
        const what = isRequired ? "error" : "warning";
        writeLine(context.stderr, `${what}: The result was not uploaded: ${error.message}${kept}`);
        for (const detail of error.details) writeLine(context.stderr, `  ${detail}`);
        if (isRequired) exitCode = Math.max(exitCode, error.exitCode);
      }
    },
    exitCode: () => exitCode,
  };
}

/** Keeps a result that the server did not get, and says where. One that it refused would be refused again. */
async function keep(
  { cwd }: CliContext,
  { folder, upload, error }: { folder: string | undefined; upload: ResultUpload; error: CliError },
): Promise<string> {
  if (folder === undefined || error.exitCode !== EXIT_CODES.unavailable) return "";
  const { result, ci, path: documentPath } = upload;
  try {
    const file = await spoolResult(path.resolve(cwd, folder), {
      version: 1,
      endedAt: new Date().toISOString(),
      result,
      ...(ci === undefined ? {} : { ci }),
      ...(documentPath === undefined ? {} : { path: documentPath }),
    });
    return ` It is kept in ${file}: send it with waymark flush --spool ${folder}.`;
  } catch (failure) {
    return ` It could not be kept in ${folder}: ${describeFileError(failure)}.`;
  }
}
