import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { DecisionInput } from '../../shared/ports/decision-log.ts';
import { UnreadableRecordError } from '../../shared/record/errors.ts';
import type { ReadDecision } from '../../shared/record/read-decision.ts';
import { readSnapshotFile, type SnapshotFile } from '../../shared/record/snapshot-file.ts';
import { type Answer, wholeAnswer } from '../answer.ts';
import type { Replay } from '../documents/replay.ts';
import { EXIT, fail, whyUnreadable } from '../errors.ts';
import type { Invocation } from '../invocation.ts';
import { replayText } from '../render/replay.ts';
import { changeSettings } from './change-settings.ts';
import { replayDecision } from './replay-decision.ts';
import type { SettingChange } from './setting-change.ts';

export interface ReplayRequest {
  readonly file: string;
  /** The id of the only decision to replay; undefined for all. */
  readonly decision?: string;
  readonly changes: readonly SettingChange[];
}

/**
 * Makes the decisions of a snapshot file again. Without changes, the answer is no if one of them
 * differs; with changes, the differences are the answer.
 *
 * @throws CliError - `file-unreadable`, `snapshot-version`, `not-found`, `bad-value`
 */
export async function replay(
  { file, decision, changes }: ReplayRequest,
  { io, progress }: Invocation,
): Promise<Answer> {
  const snapshot = await readFileOf(resolve(io.cwd, file), file);
  const selected = snapshot.decisions.filter(({ id }) => decision === undefined || id === decision);
  if (selected.length === 0) throw noSuchDecision(decision, snapshot, file);

  const replayed: Replay = { decisions: [] };
  for (const [index, recorded] of selected.entries()) {
    progress.report(`replaying ${recorded.id}`, index / selected.length);
    replayed.decisions.push(replayDecision(recorded, withChanges(recorded, changes)));
  }
  progress.end();
  const isEqual = replayed.decisions.every(({ equal }) => equal);
  return wholeAnswer({
    kind: 'Replay',
    source: { file, cluster: snapshot.cluster, at: snapshot.writtenAt },
    result: replayed,
    names: replayed.decisions.map(({ id }) => `decision/${id}`),
    text: (terminal) => replayText(replayed, changes.length > 0, terminal),
    ...(changes.length === 0 && !isEqual ? { exitCode: EXIT.answerIsNo } : {}),
  });
}

function withChanges({ input }: ReadDecision, changes: readonly SettingChange[]): DecisionInput {
  if (changes.length === 0) return input;
  const settings = changeSettings(input.snapshot.settings, changes);
  return { ...input, snapshot: { ...input.snapshot, settings } };
}

async function readFileOf(path: string, shown: string): Promise<SnapshotFile> {
  const content = await readBytes(path, shown);
  try {
    return readSnapshotFile(await parseContent(content));
  } catch (cause) {
    if (!(cause instanceof UnreadableRecordError || cause instanceof SyntaxError)) throw cause;
    const isVersion = cause instanceof UnreadableRecordError && cause.path === 'apiVersion';
    throw fail(
      {
        code: isVersion ? 'snapshot-version' : 'file-unreadable',
        what: `cannot read ${shown}`,
        where: shown,
        why: cause.message,
        fix: isVersion ? 'use the release that wrote it, or a later one' : 'write the file again',
      },
      { cause },
    );
  }
}

async function readBytes(path: string, shown: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    const why = whyUnreadable(cause);
    const problem = { code: 'file-unreadable', what: `cannot open ${shown}`, why } as const;
    throw fail({ ...problem, where: 'replay', fix: 'check the path' }, { cause });
  }
}

/** Accepts compressed and plain JSON. */
async function parseContent(bytes: Buffer): Promise<unknown> {
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const text = (isCompressed ? await decompress(bytes) : bytes).toString('utf8');
  return JSON.parse(text);
}

async function decompress(bytes: Buffer): Promise<Buffer> {
  try {
    return await promisify(gunzip)(bytes);
  } catch (cause) {
    throw new UnreadableRecordError('file', { why: 'is cut off or damaged', cause });
  }
}

function noSuchDecision(id: string | undefined, { decisions }: SnapshotFile, file: string) {
  const [first] = decisions;
  return fail({
    code: 'not-found',
    what: id === undefined ? 'the file has no decisions' : `no decision ${id}`,
    where: file,
    ...(first && { fix: `its decisions are ${first.id} to ${decisions.at(-1)?.id ?? first.id}` }),
  });
}
