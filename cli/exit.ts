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

export const gravest = (codes: readonly ExitCode[]): ExitCode =>
  GRAVEST_FIRST.find((code) => codes.includes(code)) ?? EXIT.answered;
