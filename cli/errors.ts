import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VERSION } from './version.ts';

/** Exit codes of the command. Unlike terraform's, 2 never means "changes". */
export const EXIT = {
  answered: 0,
  answerIsNo: 1,
  notStarted: 2,
  unreachable: 3,
  notAllowed: 4,
  notFound: 5,
  inPart: 6,
  defect: 70,
  interrupted: 130,
  pipeClosed: 141,
  terminated: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** If several codes apply, the first of these is used. */
const GRAVEST_FIRST: readonly ExitCode[] = [70, 4, 3, 2, 5, 1, 6];

export const findGravest = (codes: readonly ExitCode[]): ExitCode =>
  GRAVEST_FIRST.find((code) => codes.includes(code)) ?? EXIT.answered;

/**
 * Every error code of the command with its exit code. Scripts depend on the codes: add codes, never
 * rename one.
 */
export const EXIT_OF = {
  'yaml-syntax': EXIT.answerIsNo,
  'unknown-field': EXIT.answerIsNo,
  'unknown-operator': EXIT.answerIsNo,
  'bad-quantity': EXIT.answerIsNo,
  'missing-reference': EXIT.answerIsNo,
  'rule-refused': EXIT.answerIsNo,
  'file-unreadable': EXIT.notStarted,
  'no-manifests': EXIT.notStarted,
  'unknown-flag': EXIT.notStarted,
  'unknown-command': EXIT.notStarted,
  'missing-argument': EXIT.notStarted,
  'unexpected-argument': EXIT.notStarted,
  'missing-value': EXIT.notStarted,
  'bad-value': EXIT.notStarted,
  'bad-config': EXIT.notStarted,
  'port-in-use': EXIT.notStarted,
  'bad-kubeconfig': EXIT.notStarted,
  'snapshot-version': EXIT.notStarted,
  'missing-region': EXIT.notStarted,
  'no-catalogue': EXIT.notStarted,
  'crd-missing': EXIT.notStarted,
  'not-confirmed': EXIT.notStarted,
  'not-owner': EXIT.notStarted,
  'cdk-missing': EXIT.notStarted,
  'prerequisite-missing': EXIT.notStarted,
  'nodes-running': EXIT.notStarted,
  'cdk-failed': EXIT.answerIsNo,
  'cluster-unreachable': EXIT.unreachable,
  'aws-unreachable': EXIT.unreachable,
  'aws-unreadable': EXIT.unreachable,
  'credentials-missing': EXIT.notAllowed,
  'credentials-expired': EXIT.notAllowed,
  forbidden: EXIT.notAllowed,
  'url-unreachable': EXIT.unreachable,
  'not-found': EXIT.notFound,
  'record-expired': EXIT.notFound,
  defect: EXIT.defect,
} as const satisfies Record<string, ExitCode>;

type ErrorCode = keyof typeof EXIT_OF;

/** One error as it is printed; undefined lines are left out. */
export interface Problem {
  readonly code: string;
  readonly what: string;
  readonly where?: string;
  readonly why?: string;
  readonly fix?: string;
}

/** An error with a code of this command; errors of manifests have codes of their own. */
export interface KnownProblem extends Problem {
  readonly code: ErrorCode;
}

/** Ends a command with an error that the user can resolve. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], options?: ErrorOptions) {
    super(problems.map(({ what }) => what).join('; '), options);
    this.problems = problems;
  }
}

export const fail = (problem: KnownProblem, options?: ErrorOptions): CliError => new CliError([problem], options);

/** Codes that are not listed come from reading manifests and mean that a manifest was refused. */
export const exitCodeOf = ({ code }: Problem): ExitCode => (isErrorCode(code) ? EXIT_OF[code] : EXIT.answerIsNo);

export const exitCodeOfAll = (problems: readonly Problem[]): ExitCode => findGravest(problems.map(exitCodeOf));

/** True if calling again without a change may succeed. */
export const isRetriable = (problem: Problem): boolean => exitCodeOf(problem) === EXIT.unreachable;

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(EXIT_OF, code);

/** Describes a bug of the command in one line and writes the details to a report file. */
export function defectOf(error: unknown, argv: readonly string[]): CliError {
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return fail(
    {
      code: 'defect',
      what: `mortise failed: ${what.split('\n')[0]}; ${writeReport(error, argv)}`,
    },
    { cause: error },
  );
}

/**
 * The report contains the call and the stack trace, and nothing of the environment. Its folder is new
 * and private: other users of the machine may write to the folder for temporary files.
 */
function writeReport(error: unknown, argv: readonly string[]): string {
  const lines = [
    `mortise ${VERSION}, Node.js ${process.version}, ${process.platform} ${process.arch}`,
    `called: mortise ${argv.join(' ')}`,
    error instanceof Error ? stackOf(error) : String(error),
    '',
  ];
  try {
    const path = join(mkdtempSync(join(tmpdir(), 'mortise-defect-')), 'report.txt');
    writeFileSync(path, lines.join('\n'), { flag: 'wx', mode: 0o600 });
    return `please report it with ${path}`;
  } catch {
    return 'no report file could be written';
  }
}

const stackOf = (error: Error): string =>
  error.cause instanceof Error ? `${error.stack}\ncaused by ${stackOf(error.cause)}` : `${error.stack}`;

/** True if the file was opened but is not text. */
export const isOtherText = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === 'ERR_ENCODING_INVALID_ENCODED_DATA';

/** Explains an error of reading or writing a file. */
export function whyUnreadable(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown';
  const code = 'code' in cause ? cause.code : undefined;
  if (code === 'ENOENT') return 'no such file or directory';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'EISDIR') return 'it is a directory';
  if (code === 'ENOTDIR') return 'a part of the path is a file';
  if (code === 'ELOOP') return 'a symbolic link that leads to itself';
  if (isOtherText(cause)) return 'it is not UTF-8 text';
  return cause.message;
}
