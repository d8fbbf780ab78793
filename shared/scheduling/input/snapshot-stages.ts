import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';

/**
 * The stages of a snapshot between observation and planning. A function of one stage accepts only
 * the type of the stage before it, so TypeScript rejects a snapshot that skipped a stage:
 *
 * 1. `ClusterSnapshot`: as observed.
 * 2. `SnapshotWithDaemonSets`: DaemonSets request what their newest pods request.
 * 3. `SnapshotWithOverlays`: NodeOverlays have changed prices and capacities.
 * 4. `SnapshotWithReservations`: each usable reservation or commitment has instance types of its own.
 * 5. `PlanningSnapshot`: instance types say how many volumes they attach.
 */
interface StagedSnapshot<Stage extends string> extends ClusterSnapshot {
  readonly stage: Stage;
}

export type SnapshotWithDaemonSets = StagedSnapshot<'daemon-sets'>;
export type SnapshotWithOverlays = StagedSnapshot<'overlays'>;
export type SnapshotWithReservations = StagedSnapshot<'reservations'>;
export type PlanningSnapshot = StagedSnapshot<'planning'>;
