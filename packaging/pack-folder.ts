import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * Writes a tar archive without times and users, so that equal folders have equal archives.
 *
 * @param paths - of files and folders in `parent`
 */
export async function packFolder(
  parent: string,
  paths: readonly string[],
  file: string,
  { isCompressed }: { readonly isCompressed: boolean },
): Promise<void> {
  const names = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'];
  const compression = isCompressed ? ['--use-compress-program=gzip -n'] : [];
  const args = [...names, '--format=gnu', ...compression, '-cf', file, '-C', parent, ...paths];
  await promisify(execFile)('tar', args);
}
