import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * Writes a tar archive without times and users, so that equal folders have equal archives.
 *
 * @param paths - of files and folders in `parent`
 * @param keepsModes - true to keep the rights of files; else all users may read them, also if the umask
 *   of the builder is stricter
 */
export async function packFolder(
  parent: string,
  paths: readonly string[],
  file: string,
  { isCompressed, keepsModes }: { readonly isCompressed: boolean; readonly keepsModes: boolean },
): Promise<void> {
  const names = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'];
  const compression = isCompressed ? ['--use-compress-program=gzip -n'] : [];
  const modes = keepsModes ? [] : ['--mode=u=rwX,go=rX'];
  const args = [...names, '--format=gnu', ...modes, ...compression, '-cf', file, '-C', parent, ...paths];
  await promisify(execFile)('tar', args);
}
