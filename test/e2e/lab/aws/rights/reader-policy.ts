import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../../repository.ts';
import { ACCOUNT, REGION } from '../emulators.ts';

const PAGE = 'docs/reference/cli.md';

/**
 * Reads the policy of persons from the page of the command, with the names of the lab.
 *
 * @throws Error - the page has no policy
 */
export function readReaderPolicy(cluster: string): unknown {
  const page = readFileSync(join(REPOSITORY, PAGE), 'utf8');
  const text = /## Rights in AWS[\s\S]*?```json\n([\s\S]*?)```/.exec(page)?.[1];
  if (text === undefined) throw new Error(`${PAGE} has no policy`);
  return JSON.parse(
    text
      .replaceAll('eu-west-1', REGION)
      .replaceAll('123456789012', ACCOUNT)
      .replaceAll(/\bshop\b/g, cluster),
  );
}
