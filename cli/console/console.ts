import { resolve } from 'node:path';
import type { ModelFeed, ModelFrame } from '../../console/model-feed.ts';
import { createModelSource } from '../../console/model-source.ts';
import type { NumberedEvent } from '../../console/views/events.ts';
import type { DisruptionCommand } from '../../shared/model/plans.ts';
import { formatInstant } from '../../shared/model/time.ts';
import type { Decision } from '../../shared/ports/decision-log.ts';
import type { ReadDecision } from '../../shared/record/read-decision.ts';
import { findRegion } from '../../shared/simulation/restore/snapshot-catalogue.ts';
import type { Answer } from '../answer.ts';
import { fail } from '../errors.ts';
import type { Invocation } from '../invocation.ts';
import { openSnapshotFile } from '../record/open-snapshot-file.ts';
import { makeAgain } from '../record/replay-decision.ts';
import type { ConsoleRequest, OpenedSource } from './opened-source.ts';
import { serveConsole } from './serve-console.ts';

/**
 * Serves the page for a live cluster or a snapshot file until it is stopped. Nothing is changed in
 * the cluster or in AWS.
 *
 * @throws CliError - those of `reachCluster`; `port-in-use`; `file-unreadable`
 */
export async function openConsole(request: ConsoleRequest, invocation: Invocation): Promise<Answer> {
  const { progress } = invocation;
  const opened =
    request.from === undefined
      ? await (await import('./open-cluster.ts')).openCluster(request, invocation)
      : await openFile(request.from, invocation);
  progress.report('building the console');
  const server = await serveConsole(opened.source, request.port);
  progress.end();
  return {
    kind: 'Console',
    source: opened.from,
    complete: opened.warnings.length === 0,
    warnings: opened.warnings,
    result: { url: server.url },
    names: [],
    text: () => `Console: ${server.url}\n`,
    async afterwards(stop) {
      await new Promise<void>((resolve) => {
        if (stop.aborted) resolve();
        else stop.addEventListener('abort', () => resolve(), { once: true });
      });
      opened.stop();
      await server.close();
    },
  };
}

async function openFile(file: string, invocation: Invocation): Promise<OpenedSource> {
  const { feed, cluster, at } = await createFileFeed(file, invocation);
  return {
    source: createModelSource(feed),
    from: { file, cluster, at },
    warnings: [],
    stop: () => undefined,
  };
}

interface FileFeed {
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
async function createFileFeed(file: string, { io, progress }: Invocation): Promise<FileFeed> {
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
