import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildKitFiles } from './controller-kit.ts';

/** `npm run generate:kit`: writes the generated files of the controller kit. */
const root = fileURLToPath(new URL('..', import.meta.url));
for (const { path, text } of buildKitFiles(root)) {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}
