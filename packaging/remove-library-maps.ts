import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

/**
 * Removes the source maps of files that contain libraries only: they would be larger than all the
 * rest, and no report of a defect in Mortise needs them.
 */
export async function removeLibraryMaps(root: string, { outputs }: Metafile): Promise<void> {
  const files = Object.entries(outputs).filter(
    ([path, { inputs }]) => path.endsWith('.js') && Object.keys(inputs).every(isLibrary),
  );
  await Promise.all(
    files.map(async ([path]) => {
      const file = join(root, path);
      const code = await readFile(file, 'utf8');
      await writeFile(file, code.replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n'));
      await rm(`${file}.map`, { force: true });
    }),
  );
}

const isLibrary = (input: string): boolean => input.includes('node_modules/');
