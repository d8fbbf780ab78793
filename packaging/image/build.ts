import { fileURLToPath } from 'node:url';
import { buildPackage } from '../build-package.ts';
import { buildImage } from './build-image.ts';

/**
 * `npm run image`: writes the npm package and the image to `dist/`, and prints the digest.
 * `npm run image -- lock` pins the sources of the image instead.
 */
if (process.argv[2] === 'lock') {
  await import('./update-lock.ts');
} else {
  const dist = fileURLToPath(new URL('../../dist', import.meta.url));
  await buildPackage(dist);
  const { archive, digest } = await buildImage(dist);
  process.stdout.write(`${JSON.stringify({ archive, digest }, undefined, 2)}\n`);
}
