import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The `node` that runs functions. The local AWS gives all of them the same credentials; EKS must
 * tell them apart, so each gets its name as session token, which nobody else looks at.
 *
 * @returns the folder that it is in
 */
export function writeLambdaNode(folder: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const script = [
    '#!/bin/sh',
    'export AWS_SESSION_TOKEN="$AWS_LAMBDA_FUNCTION_NAME"',
    `exec ${process.execPath} "$@"`,
  ];
  const path = join(bin, 'node');
  writeFileSync(path, `${script.join('\n')}\n`);
  chmodSync(path, 0o755);
  return bin;
}
