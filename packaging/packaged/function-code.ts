import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, constants } from 'node:zlib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { z } from 'zod';

const ARCHIVE = fileURLToPath(new URL('functions.json.br', import.meta.url));

let folder: string | undefined;

/**
 * Replaces `infra/function-code.ts` in the package, which contains the bundles of all functions in
 * one compressed file: they share most of their code.
 */
export function functionCode(_scope: unknown, entry: string): Code {
  folder ??= unpack();
  return Code.fromAsset(join(folder, entry));
}

/** The CDK copies the files into its own folder; the operating system removes these. */
function unpack(): string {
  const text = brotliDecompressSync(readFileSync(ARCHIVE), {
    params: { [constants.BROTLI_DECODER_PARAM_LARGE_WINDOW]: 1 },
  }).toString();
  const archive = z.record(z.string(), z.string()).parse(JSON.parse(text));
  const out = mkdtempSync(join(tmpdir(), 'mortise-functions-'));
  for (const [path, text] of Object.entries(archive)) {
    mkdirSync(dirname(join(out, path)), { recursive: true });
    writeFileSync(join(out, path), text);
  }
  return out;
}
