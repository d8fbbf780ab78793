import type { DecisionToExplain } from '../../shared/explain/decisions.ts';
import type { KarpenterReport } from '../../shared/model/karpenter-report.ts';
import { formatInstant, MINUTE_MS } from '../../shared/model/time.ts';
import { CliError, EXIT, exitCodeOfAll } from '../errors.ts';
import type { RecordAge } from './live-state.ts';

/** Decisions around one moment, and where they come from. */
export interface Decided {
  readonly cluster: string;
  readonly decisions: readonly DecisionToExplain[];
  /** Events and conditions of Karpenter, on a cluster that it runs. */
  readonly reports?: readonly KarpenterReport[];
  /** The source, as stderr names it. */
  readonly from: string;
  /** Sentences about what could not be read. */
  readonly gaps: readonly string[];
  /** True if the API server has the objects in question as the decisions have them. */
  readonly isCurrent?: true;
  /** True if hashes are in the place of names. */
  readonly isRedacted?: true;
  /** Sentences about the source. */
  readonly warnings?: readonly string[];
}

/** The places that know why a cluster is as it is now. */
export interface Sources {
  /** The last recorded decisions; undefined without a stack or a decision. */
  readonly readRecord: () => Promise<Decided | undefined>;
  /** Reads the objects in question, and compares them with those of the record. */
  readonly compareWithLive: (record: Decided) => Promise<RecordAge>;
  readonly decideLive: () => Promise<Decided>;
  /** The last decisions about an object that is gone; undefined if they are too far back. */
  readonly findLastRecord: () => Promise<Decided | undefined>;
  /** True if the decisions know the object in question. */
  readonly isAnswered: (decided: Decided) => boolean;
  readonly now: number;
}

/**
 * A record can be older than the cluster: Mortise does not store a decision that equals the one
 * before, and makes none while another autoscaler owns the cluster.
 */
const RECENT_MS = 5 * MINUTE_MS;

/**
 * Chooses what explains the cluster as it is now: the record if it is recent, knows the object and has it
 * as the API server does; otherwise live objects, and an older record if these cannot be read, or if the
 * object is gone.
 *
 * @throws CliError - those of `decideLive`, and those of `readRecord` that say nothing about access
 */
export async function chooseSource(sources: Sources): Promise<Decided> {
  const { readRecord, compareWithLive, isAnswered, now } = sources;
  const { value: record, problem } = await unlessDenied(readRecord);
  const usable = record !== undefined && isAnswered(record) ? record : undefined;
  if (usable) {
    const isRecent = now - newestOf(usable) <= RECENT_MS;
    const { value: age } = await unlessDenied(() => compareWithLive(usable));
    if (age === 'gone') return withWarning(usable, describeGone(usable));
    if (isRecent && age === 'current') return { ...usable, isCurrent: true };
  }
  return decideOnLiveObjects(sources, usable, problem);
}

async function decideOnLiveObjects(
  { decideLive, findLastRecord, isAnswered }: Sources,
  usable: Decided | undefined,
  problem: CliError | undefined,
): Promise<Decided> {
  const live = await unlessDenied(decideLive);
  if (live.value && isAnswered(live.value)) {
    return problem ? withWarning(live.value, `the record was not read: ${problem.message}`) : live.value;
  }
  if (live.value) {
    const { value: last } = await unlessDenied(findLastRecord);
    return last ? withWarning(last, describeGone(last)) : live.value;
  }
  if (!usable) throw live.problem;
  return withWarning(
    usable,
    `the cluster could not be read (${live.problem.message}); the last decision is of ${formatInstant(newestOf(usable))}`,
  );
}

const withWarning = (decided: Decided, warning: string): Decided => ({
  ...decided,
  warnings: [...(decided.warnings ?? []), warning],
});

const describeGone = (decided: Decided): string =>
  `it is gone; this is how it was at ${formatInstant(newestOf(decided))}`;

export const newestOf = ({ decisions }: Pick<Decided, 'decisions'>): number =>
  Math.max(...decisions.map(({ at }) => at));

type Read<T> =
  | { readonly value: T; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: CliError };

/** Keeps the error of a source that is out of reach or forbidden, for another may answer. */
async function unlessDenied<T>(read: () => Promise<T>): Promise<Read<T>> {
  try {
    return { value: await read() };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const code = exitCodeOfAll(error.problems);
    if (code !== EXIT.unreachable && code !== EXIT.notAllowed) throw error;
    return { problem: error };
  }
}
