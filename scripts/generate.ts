import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildKitFiles } from '../packaging/controller-kit.ts';
import { buildConstructPage } from './construct-page.ts';
import { type GeneratedFile, generatedFiles } from './reference/files.ts';
import { buildStackOptionsPage } from './stack-options-page.ts';

/**
 * Implements `npm run generate`. With `--check` it writes nothing and exits with 1 if a file is
 * stale.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));

async function isStale({ path, text }: GeneratedFile): Promise<boolean> {
  const written = await readFile(join(ROOT, path), 'utf8').catch(() => undefined);
  return written !== text;
}

async function write({ path, text }: GeneratedFile): Promise<void> {
  const full = join(ROOT, path);
  await mkdir(dirname(full), { recursive: true });
  await writeFile(full, text);
}

const files = [
  ...generatedFiles(),
  { path: 'docs/reference/stack-options.md', text: buildStackOptionsPage() },
  { path: 'docs/reference/construct.md', text: buildConstructPage() },
  ...buildKitFiles(ROOT),
];
const judged = await Promise.all(files.map(async (file) => ({ file, stale: await isStale(file) })));
const stale = judged.flatMap(({ file, stale: is }) => (is ? [file] : []));

if (!process.argv.includes('--check')) {
  await Promise.all(stale.map(write));
  process.stdout.write(`${stale.length} of ${files.length} files written\n`);
} else if (stale.length > 0) {
  process.stderr.write(`stale, run npm run generate: ${stale.map(({ path }) => path).join(', ')}\n`);
  process.exitCode = 1;
}
