import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** A file of the repository with its text. `path` is relative to the repository's root. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/**
 * Reads the files that git tracks or would track, in the order of their paths.
 *
 * @param patterns - git pathspecs such as `*.ts`
 */
export function readSourceFiles(...patterns: readonly string[]): SourceFile[] {
  const listed = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...patterns],
    { encoding: 'utf8', maxBuffer: 2 ** 26 },
  );
  const paths = [...new Set(listed.split('\0'))].filter((path) => path !== '' && existsSync(path));
  return paths.sort().map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}
