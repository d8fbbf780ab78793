import { fileURLToPath } from 'node:url';
import { buildPackage } from './build-package.ts';

/** `npm run package`: writes the npm package to `dist/`, and prints its sizes. */
const { libraries, ...built } = await buildPackage(fileURLToPath(new URL('../dist', import.meta.url)));
process.stdout.write(`${JSON.stringify({ ...built, libraries: libraries.length }, undefined, 2)}\n`);
