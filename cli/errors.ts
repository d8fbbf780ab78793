import { EXIT, type ExitCode, gravest } from './exit.ts';

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
  'missing-region': EXIT.notStarted,
  'crd-missing': EXIT.notStarted,
  'not-confirmed': EXIT.notStarted,
  'not-owner': EXIT.notStarted,
  'cluster-unreachable': EXIT.unreachable,
  'aws-unreachable': EXIT.unreachable,
  'credentials-missing': EXIT.notAllowed,
  'credentials-expired': EXIT.notAllowed,
  forbidden: EXIT.notAllowed,
  'url-unreachable': EXIT.unreachable,
  'not-found': EXIT.notFound,
  defect: EXIT.defect,
} as const satisfies Record<string, ExitCode>;

export type ErrorCode = keyof typeof EXIT_OF;

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

export const fail = (problem: KnownProblem, options?: ErrorOptions): CliError =>
  new CliError([problem], options);

/** Codes that are not listed come from reading manifests and mean that a manifest was refused. */
export const exitCodeOf = ({ code }: Problem): ExitCode =>
  isErrorCode(code) ? EXIT_OF[code] : EXIT.answerIsNo;

export const exitCodeOfAll = (problems: readonly Problem[]): ExitCode =>
  gravest(problems.map(exitCodeOf));

/** True if calling again without a change may succeed. */
export const isRetriable = (problem: Problem): boolean => exitCodeOf(problem) === EXIT.unreachable;

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(EXIT_OF, code);
