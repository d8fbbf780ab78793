import { resolve } from 'node:path';
import type { ModelFeed, ModelFrame } from '../../console/model-feed.ts';
import type { NumberedEvent } from '../../console/views/events.ts';
import type { DisruptionCommand } from '../../shared/model/plans.ts';
import { formatInstant } from '../../shared/model/time.ts';
import type { Decision } from '../../shared/ports/decision-log.ts';
import type { ReadDecision } from '../../shared/record/read-decision.ts';
import { findRegion } from '../../shared/simulation/restore/snapshot-catalogue.ts';
import { fail } from '../errors.ts';
import type { Invocation } from '../invocation.ts';
import { openSnapshotFile } from '../record/open-snapshot-file.ts';
import { makeAgain } from '../record/replay-decision.ts';

export interface FileFeed {
  readonly feed: ModelFeed;
  readonly cluster: string;
  readonly at: string;
}

/**
 * Shows the cluster of a snapshot file as of its last decision. The decisions are made again from
 * their input, so that their reasons are those of this release.
 *
 * @throws CliError - `file-unreadable`, `snapshot-version`, `not-found`
 */
export async function createFileFeed(file: string, { io, progress }: Invocation): Promise<FileFeed> {
  progress.report(`reading ${file}`);
  const { cluster, decisions: recorded } = await openSnapshotFile(resolve(io.cwd, file), file);
  const last = recorded.at(-1);
  if (!last) {
    throw fail({ code: 'not-found', what: 'the file has no decisions', where: file });
  }
  const decisions = recorded.flatMap(decideAgain);
  const { snapshot } = last.input;
  const frame: ModelFrame = { snapshot, commands: listCommands(last), ...proposalOf(decisions) };
  const events: readonly NumberedEvent[] = [];
  return {
    cluster,
    at: formatInstant(snapshot.takenAt),
    feed: {
      info: { source: 'snapshot', cluster, region: findRegion(snapshot) },
      clock: () => ({ now: snapshot.takenAt, speed: 1, paused: true }),
      observe: async () => frame,
      decisions: () => decisions,
      events: () => events,
      onChange: () => () => undefined,
      waitsMs: () => [],
    },
  };
}

function decideAgain({ id, at, input }: ReadDecision): Decision[] {
  const made = makeAgain(input, id);
  return made.kind === 'provisioning'
    ? [{ id, at, kind: 'provisioning', plan: made.plan }]
    : [{ id, at, kind: 'disruption', plan: made.plan }];
}

const listCommands = ({ input }: ReadDecision): readonly DisruptionCommand[] =>
  input.kind === 'disruption' ? input.running : [];

function proposalOf(decisions: readonly Decision[]): Pick<ModelFrame, 'proposal'> {
  const last = decisions.findLast(({ kind }) => kind === 'disruption');
  return last?.kind === 'disruption' && last.plan.command ? { proposal: last.plan.command } : {};
}
