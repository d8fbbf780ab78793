import type { ConsoleSource } from '../../console/source.ts';
import type { Answer } from '../answer.ts';
import type { ClusterChoice } from '../cluster/reach-cluster.ts';

export interface ConsoleRequest extends ClusterChoice {
  /** A snapshot file; undefined for a live cluster. */
  readonly from?: string;
  /** The port to use; undefined for the first free port from 7070. */
  readonly port?: number;
}

/** A cluster or a file, ready to be shown. */
export interface OpenedSource {
  readonly source: ConsoleSource;
  readonly from: Answer['source'];
  readonly warnings: readonly string[];
  stop(): void;
}
