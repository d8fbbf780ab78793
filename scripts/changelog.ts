/** A commit, as `git log` lists it. */
export interface Commit {
  readonly hash: string;
  readonly subject: string;
  readonly body: string;
}

export interface Release {
  /** Such as `0.1.0`. */
  readonly version: string;
  /** Such as `2026-11-23`. */
  readonly date: string;
  /** Newest first. */
  readonly commits: readonly Commit[];
}

/** Types of Conventional Commits that users notice; others are left out. */
const SECTIONS = { feat: 'Features', fix: 'Fixes', perf: 'Performance' } as const;

interface Change {
  readonly type: keyof typeof SECTIONS;
  readonly scope: string;
  readonly text: string;
  readonly hash: string;
  /** The text after `BREAKING CHANGE:`; undefined if nothing breaks. */
  readonly breaks?: string;
}

/**
 * Writes the changelog of releases, newest first.
 *
 * @see https://www.conventionalcommits.org
 */
export const writeChangelog = (releases: readonly Release[]): string =>
  ['# Changelog', ...releases.map(writeRelease), ''].join('\n\n').trimEnd().concat('\n');

function writeRelease({ version, date, commits }: Release): string {
  const changes = commits.flatMap((commit) => parseChange(commit) ?? []);
  const breaking = changes.flatMap(({ breaks, hash }) => (breaks === undefined ? [] : [`- ${breaks} (${hash})`]));
  const sections = Object.entries(SECTIONS).map(
    ([type, title]) => [title, changes.filter((change) => change.type === type)] as const,
  );
  const parts = [
    ...(breaking.length > 0 ? [`### Breaking changes\n\n${breaking.join('\n')}`] : []),
    ...sections.flatMap(([title, of]) => (of.length === 0 ? [] : [`### ${title}\n\n${of.map(lineOf).join('\n')}`])),
  ];
  const body = parts.length === 0 ? 'No change that users notice.' : parts.join('\n\n');
  return `## ${version} (${date})\n\n${body}`;
}

const lineOf = ({ scope, text, hash }: Change): string => `- ${scope === '' ? '' : `**${scope}**: `}${text} (${hash})`;

function parseChange({ hash, subject, body }: Commit): Change | undefined {
  const [, type, scope = '', mark = '', text] = /^(feat|fix|perf)(?:\(([a-z0-9-]+)\))?(!?): (.+)$/.exec(subject) ?? [];
  if (!isType(type) || text === undefined) return undefined;
  const footer = /^BREAKING[ -]CHANGE: ([\s\S]+?)(?:\n\n|(?![\s\S]))/m.exec(body)?.[1];
  const breaks = footer?.replaceAll(/\s+/g, ' ').trim() ?? (mark === '!' ? text : undefined);
  return { type, scope, text, hash, ...(breaks !== undefined && { breaks }) };
}

const isType = (type: string | undefined): type is Change['type'] =>
  type !== undefined && Object.hasOwn(SECTIONS, type);
