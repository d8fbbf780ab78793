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

/** The first rows that later releases must read. */
const KEPT_ROWS = 'test/aws/dynamodb/releases';

/**
 * Checks out the revision that PREVIOUS_RELEASE names, by default the newest tag before HEAD. While
 * the repository has no tags, this is the oldest commit whose rows must be read. It uses the installed
 * dependencies.
 *
 * @throws Error - the history does not reach that far, as in a shallow clone
 */
export async function checkOutPreviousRelease(parent: string): Promise<PreviousRelease> {
  const revision = process.env.PREVIOUS_RELEASE ?? (await findNewestTag()) ?? (await findFirstKept());
  const folder = join(parent, 'previous-release');
  await git('clone', '--quiet', '--shared', '--no-checkout', REPOSITORY, folder);
  await git('-C', folder, 'checkout', '--quiet', '--detach', revision);
  symlinkSync(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'));
  return { folder, revision };
}

const findNewestTag = (): Promise<string | undefined> =>
  git('describe', '--tags', '--abbrev=0', 'HEAD^').catch(() => undefined);

async function findFirstKept(): Promise<string> {
  const commits = await git('log', '--diff-filter=A', '--format=%h', '--', KEPT_ROWS);
  const oldest = commits.split('\n').at(-1) ?? '';
  if (oldest === '') throw new Error(`the repository has no tag and no commit with ${KEPT_ROWS}`);
  return oldest;
}

const git = async (...args: readonly string[]): Promise<string> =>
  (await runCommand({ command: 'git', args: [...args], cwd: REPOSITORY })).trim();
