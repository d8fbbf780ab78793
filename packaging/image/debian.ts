import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Architecture } from './sources.ts';

const run = promisify(execFile);
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

export interface DebianArchive {
  /** Runs `apt-get` or `apt-cache` for the packages of the suite. */
  apt(command: 'apt-get' | 'apt-cache', ...args: readonly string[]): Promise<string>;
}

/**
 * Reads Debian's package lists into a folder of its own, so that neither root nor a Debian of the same
 * release or architecture is needed, and calls `work` with them.
 *
 * A mirror keeps only the newest version of a package. `DEBIAN_MIRROR` and `DEBIAN_SECURITY_MIRROR`
 * can name those of snapshot.debian.org, which keeps all.
 *
 * @param folder - where `apt-get download` writes
 * @param isSigned - true if the lists have to be signed by Debian's keys; false if the caller
 *   compares what it downloads with a digest
 */
export async function withDebian<T>(
  {
    suite,
    architecture,
    folder,
    isSigned,
  }: {
    readonly suite: string;
    readonly architecture: Architecture;
    readonly folder: string;
    readonly isSigned: boolean;
  },
  work: (archive: DebianArchive) => Promise<T>,
): Promise<T> {
  const state = await mkdtemp(join(tmpdir(), 'mortise-apt-'));
  try {
    for (const path of ['lists/partial', 'archives/partial']) {
      await mkdir(join(state, path), { recursive: true });
    }
    await writeFile(join(state, 'sources.list'), sourcesList(suite, isSigned));
    const options = Object.entries({
      'Dir::Etc::SourceList': join(state, 'sources.list'),
      'Dir::Etc::SourceParts': '/dev/null',
      'Dir::State': state,
      'Dir::State::Status': '/dev/null',
      'Dir::Cache': state,
      'APT::Architecture': architecture,
      'APT::Architectures': architecture,
      'APT::Sandbox::User': '',
      // A snapshot's lists have expired.
      'Acquire::Check-Valid-Until': `${isSigned}`,
      'Acquire::Languages': 'none',
    }).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    const apt: DebianArchive['apt'] = async (command, ...args) =>
      (await run(command, [...options, ...args], { cwd: folder })).stdout;
    await apt('apt-get', '-q', 'update');
    return await work({ apt });
  } finally {
    await rm(state, { recursive: true, force: true });
  }
}

function sourcesList(suite: string, isSigned: boolean): string {
  if (isSigned && !existsSync(KEYRING)) {
    throw new Error(`${KEYRING} is missing: install debian-archive-keyring`);
  }
  const trust = isSigned ? `signed-by=${KEYRING}` : 'trusted=yes';
  const { DEBIAN_MIRROR, DEBIAN_SECURITY_MIRROR } = process.env;
  const main = DEBIAN_MIRROR ?? 'http://deb.debian.org/debian';
  const security = DEBIAN_SECURITY_MIRROR ?? 'http://deb.debian.org/debian-security';
  return `deb [${trust}] ${main} ${suite} main\ndeb [${trust}] ${security} ${suite}-security main\n`;
}
