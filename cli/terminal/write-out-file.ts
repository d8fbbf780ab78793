import { rename, writeFile } from 'node:fs/promises';
import { fail, whyUnreadable } from '../errors.ts';

interface Target {
  /** The path as the user wrote it. */
  readonly shown: string;
  readonly force: boolean;
}

/**
 * Writes the file of `--out`.
 *
 * @throws CliError - `file-unreadable`
 */
export async function writeOutFile(path: string, bytes: Uint8Array, { shown, force }: Target): Promise<void> {
  try {
    if (!force) return await writeFile(path, bytes, { flag: 'wx' });
    // A file that is replaced stays complete if the write fails.
    await writeFile(`${path}.part`, bytes);
    await rename(`${path}.part`, path);
  } catch (cause) {
    const exists = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST';
    throw fail(
      {
        code: 'file-unreadable',
        what: `cannot write ${shown}`,
        where: '--out',
        why: exists ? 'the file exists' : whyUnreadable(cause),
        fix: exists ? '--force replaces it' : 'check the path',
      },
      { cause },
    );
  }
}
