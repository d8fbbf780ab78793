import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Commit, Release } from '../scripts/changelog.ts';

const FIELDS = '%h%x1f%s%x1f%b%x1e';

/**
 * Reads the releases from the tags `v*` of a clone, newest first. Commits after the last tag belong to
 * `version`.
 */
export async function readReleases(root: string, version: string): Promise<readonly Release[]> {
  const git = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)('git', [...args], {
      cwd: root,
      maxBuffer: 64 * 1024 ** 2,
    });
    return stdout.trim();
  };
  const tags = (await git('tag', '--list', 'v*', '--sort=-v:refname')).split('\n').filter(Boolean);
  const ends = tags.includes(`v${version}`) ? tags : ['HEAD', ...tags];
  return await Promise.all(
    ends.map(async (end, index) => {
      const start = ends[index + 1];
      const range = start === undefined ? end : `${start}..${end}`;
      return {
        version: end === 'HEAD' ? version : end.slice(1),
        date: await git('log', '-1', '--format=%cs', end),
        commits: parseCommits(await git('log', `--format=${FIELDS}`, '--no-merges', range)),
      };
    }),
  );
}

const parseCommits = (text: string): readonly Commit[] =>
  text.split('\u001e').flatMap((entry) => {
    const [hash, subject, body = ''] = entry.trim().split('\u001f');
    return hash && subject ? [{ hash, subject, body }] : [];
  });
