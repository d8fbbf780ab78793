import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readGuide } from '../e2e/guides/read-guide.ts';
import { REPOSITORY } from '../e2e/lab/repository.ts';
import { runCommand } from '../e2e/lab/run-command.ts';

const FOLDERS = ['docs/guides', 'docs/migrate'];
const PAGES = FOLDERS.flatMap((folder) => readdirSync(join(REPOSITORY, folder)).map((file) => join(folder, file)));
/** These read files only. */
const OFFLINE = /^[^#]*\bmortise (?:validate|simulate|instance-types|template|convert)\b/;
/** Files of the reader, or objects of a cluster. */
const NEEDS_MORE = /-f (?:apps|k8s|manifests)\/|^kubectl /;

/** `mortise` calls the command of this repository. */
const FUNCTIONS = `mortise() { node '${join(REPOSITORY, 'cli/mortise.ts')}' "$@"; }`;

const folder = mkdtempSync(join(tmpdir(), 'mortise-guides-'));
afterAll(() => rmSync(folder, { recursive: true }));

const CASES = PAGES.flatMap((page) => {
  const { commands, files } = readGuide(readFileSync(join(REPOSITORY, page), 'utf8'));
  return commands
    .filter(({ line }) => OFFLINE.test(line) && !NEEDS_MORE.test(line))
    .map(({ line }) => ({ page, line, files }));
});

describe('the commands of the guides that need no cluster', () => {
  symlinkSync(join(REPOSITORY, 'examples'), join(folder, 'examples'));

  it.each(CASES)('succeed in $page: $line', async ({ line, files }) => {
    for (const [name, text] of files) writeFileSync(join(folder, name), text);
    const script = `${FUNCTIONS}\n${line}`;

    const printed = await runCommand({
      command: 'bash',
      args: ['-euo', 'pipefail', '-c', script],
      cwd: folder,
      timeoutMs: 10 * 60_000,
    });

    expect(printed).not.toBe('');
  });
});
