import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from './repository.ts';
import { runCommand } from './run-command.ts';

/** The sources of an earlier state of this repository. */
export interface PreviousRelease {
  readonly folder: string;
  /** The tag, or the commit if there is no tag. */
  readonly revision: string;
}

/** While the repository has no tags. */
const DAYS_BEFORE = 3;

/**
 * Checks out the revision that PREVIOUS_RELEASE names, by default the newest tag before HEAD. While
 * the repository has no tags, this is the newest commit that is three days older than HEAD. It uses
 * the installed dependencies.
 *
 * @throws Error - the history does not reach that far, as in a shallow clone
 */
export async function checkOutPreviousRelease(parent: string): Promise<PreviousRelease> {
  const revision =
    process.env.PREVIOUS_RELEASE ?? (await findNewestTag()) ?? (await findOlderCommit());
  const folder = join(parent, 'previous-release');
  await git('clone', '--quiet', '--shared', '--no-checkout', REPOSITORY, folder);
  await git('-C', folder, 'checkout', '--quiet', '--detach', revision);
  symlinkSync(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'));
  return { folder, revision };
}

const findNewestTag = (): Promise<string | undefined> =>
  git('describe', '--tags', '--abbrev=0', 'HEAD^').catch(() => undefined);

async function findOlderCommit(): Promise<string> {
  const newest = Number(await git('log', '-1', '--format=%ct'));
  const before = newest - DAYS_BEFORE * 24 * 3600;
  const commit = await git('rev-list', '-1', '--abbrev-commit', `--before=${before}`, 'HEAD');
  if (commit === '') throw new Error('the repository has no tag and no older commit');
  return commit;
}

const git = async (...args: readonly string[]): Promise<string> =>
  (await runCommand({ command: 'git', args: [...args], cwd: REPOSITORY })).trim();
