import type { DecisionToExplain } from '../../shared/explain/decisions.ts';
import type { KarpenterReport } from '../../shared/model/karpenter-report.ts';
import { formatInstant, MINUTE_MS } from '../../shared/model/time.ts';
import { CliError, EXIT, exitCodeOfAll } from '../errors.ts';

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
  /** True if hashes are in the place of names. */
  readonly isRedacted?: true;
  /** Sentences about the source. */
  readonly warnings?: readonly string[];
}

/** The two places that know why a cluster is as it is now. */
export interface Sources {
  /** The last recorded decisions; undefined without a stack or a decision. */
  readonly readRecord: () => Promise<Decided | undefined>;
  readonly decideLive: () => Promise<Decided>;
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
 * Chooses what explains the cluster as it is now: the record if it is recent and knows the object,
 * otherwise live objects, and an older record if these cannot be read.
 *
 * @throws CliError - those of `decideLive`, and those of `readRecord` that say nothing about access
 */
export async function chooseSource(sources: Sources): Promise<Decided> {
  const { readRecord, decideLive, isAnswered, now } = sources;
  const { value: record, problem } = await unlessDenied(readRecord);
  const isKnown = record !== undefined && isAnswered(record);
  if (isKnown && now - newestOf(record) <= RECENT_MS) return record;

  const live = await unlessDenied(decideLive);
  if (live.value) {
    const { value } = live;
    return problem
      ? { ...value, warnings: [`the record was not read: ${problem.message}`] }
      : value;
  }
  if (!isKnown) throw live.problem;
  const warning = `the cluster could not be read (${live.problem.message}); the last decision is of ${formatInstant(newestOf(record))}`;
  return { ...record, warnings: [warning] };
}

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
