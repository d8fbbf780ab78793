import { resolve } from 'node:path';
import type * as z from 'zod';
import type { ClusterManifests } from '../../shared/api/manifests/cluster-manifests.ts';
import { withDriftMarks } from '../../shared/disruption/drift/mark-drift.ts';
import { findDecisionTime } from '../../shared/model/decision-time.ts';
import { DEFAULT_SETTINGS, type DecisionSettings } from '../../shared/model/settings.ts';
import { formatInstant } from '../../shared/model/time.ts';
import { decisionSettingsSchema } from '../../shared/model-schema/settings-schema.ts';
import type { DecisionInput } from '../../shared/ports/decision-log.ts';
import type { ReadDecision } from '../../shared/record/read-decision.ts';
import { changePools, listNodeClasses } from '../../shared/what-if/change-pools.ts';
import { type Answer, wholeAnswer } from '../answer.ts';
import type { ClusterChoice } from '../cluster/reach-cluster.ts';
import type { Replay } from '../documents/replay.ts';
import { EXIT, fail } from '../errors.ts';
import type { Invocation } from '../invocation.ts';
import { readClusterManifests } from '../manifests/cluster-manifests.ts';
import { replayText } from '../render/replay.ts';
import { listClassWarnings, listUnusedWarnings } from './class-warnings.ts';
import { openSnapshotFile } from './open-snapshot-file.ts';
import { replayDecision } from './replay-decision.ts';
import type { SettingChange } from './setting-change.ts';

export interface ReplayRequest extends ClusterChoice {
  /** A snapshot file, or the id of a decision in the record; undefined with `sinceMs`. */
  readonly subject?: string;
  /** All decisions of the record since so long ago. */
  readonly sinceMs?: number;
  /** The id of the only decision of a file to replay; undefined for all. */
  readonly decision?: string;
  readonly changes: readonly SettingChange[];
  /** Files with other NodePools and EC2NodeClasses. */
  readonly manifests: readonly string[];
}

/** Decisions to make again, which are read one at a time. */
interface Selection {
  readonly source: Readonly<Record<string, unknown>>;
  readonly ids: readonly string[];
  read(id: string): Promise<ReadDecision>;
}

/**
 * Makes recorded decisions again. Without changes, the answer is no if one of them differs; with
 * changes, the differences are the answer.
 *
 * @throws CliError - `file-unreadable`, `snapshot-version`, `not-found`, `bad-value`; those of
 *   `openStackRecord` and `readClusterManifests`
 */
export async function replay(request: ReplayRequest, invocation: Invocation): Promise<Answer> {
  const { changes, manifests: paths } = request;
  const { io, progress } = invocation;
  const selection = await select(request, invocation);
  const isChanged = changes.length > 0 || paths.length > 0;

  let manifests: ClusterManifests | undefined;
  let warnings: readonly string[] = [];
  const replayed: Replay = { decisions: [] };
  for (const [index, id] of selection.ids.entries()) {
    progress.report(`replaying ${id}`, index / selection.ids.length);
    const recorded = await selection.read(id);
    if (paths.length > 0) {
      const presentClasses = listNodeClasses(recorded.input.snapshot);
      manifests ??= await readClusterManifests(paths, { recursive: false, io, presentClasses });
      warnings = [...listUnusedWarnings(manifests), ...listClassWarnings(manifests, recorded.input.snapshot)];
    }
    const input = withChanges(recorded.input, { changes, manifests });
    replayed.decisions.push(replayDecision(recorded, input));
  }
  progress.end();
  const isEqual = replayed.decisions.every(({ equal }) => equal);
  return wholeAnswer({
    kind: 'Replay',
    source: selection.source,
    warnings,
    result: replayed,
    names: replayed.decisions.map(({ id }) => `decision/${id}`),
    text: (terminal) => replayText(replayed, isChanged, terminal),
    ...(!isChanged && !isEqual && { exitCode: EXIT.answerIsNo }),
  });
}

interface Changes {
  readonly changes: readonly SettingChange[];
  readonly manifests: ClusterManifests | undefined;
}

function withChanges(input: DecisionInput, { changes, manifests }: Changes): DecisionInput {
  const { snapshot } = input;
  const withSettings =
    changes.length === 0 ? snapshot : { ...snapshot, settings: changeSettings(snapshot.settings, changes) };
  if (!manifests) return { ...input, snapshot: withSettings };
  return { ...input, snapshot: withDriftMarks(changePools(withSettings, manifests)) };
}

async function select(request: ReplayRequest, invocation: Invocation): Promise<Selection> {
  const { subject, sinceMs } = request;
  if ((subject === undefined) === (sinceMs === undefined)) {
    throw fail({
      code: 'bad-value',
      what: subject === undefined ? 'no decision is named' : 'both a decision and --since are named',
      where: 'replay',
      fix: 'mortise replay FILE, mortise replay ID --cluster NAME, or --since 2h',
    });
  }
  if (subject !== undefined && findDecisionTime(subject) === undefined) {
    return await selectFromFile(subject, request.decision, invocation);
  }
  const { openStackRecord, readRecordedDecision } = await import('./read-record.ts');
  const stack = await openStackRecord(request, invocation);
  const now = Date.now();
  const ids = subject === undefined ? await stack.record.list(now - (sinceMs ?? 0), now) : [subject];
  return {
    source: { cluster: stack.cluster, record: stack.bucket, at: formatInstant(now) },
    ids,
    read: (id) => readRecordedDecision(stack, id),
  };
}

async function selectFromFile(file: string, decision: string | undefined, { io }: Invocation): Promise<Selection> {
  const { cluster, writtenAt, decisions } = await openSnapshotFile(resolve(io.cwd, file), file);
  const selected = decisions.filter(({ id }) => decision === undefined || id === decision);
  const missing = noSuchDecision(decision, decisions, file);
  if (selected.length === 0) throw missing;
  const byId = new Map(selected.map((one) => [one.id, one]));
  return {
    source: { file, cluster, at: writtenAt },
    ids: [...byId.keys()],
    async read(id) {
      const decisionOfId = byId.get(id);
      if (decisionOfId) return decisionOfId;
      throw missing;
    },
  };
}

function noSuchDecision(id: string | undefined, decisions: readonly ReadDecision[], file: string) {
  const [first] = decisions;
  return fail({
    code: 'not-found',
    what: id === undefined ? 'the file has no decisions' : `no decision ${id}`,
    where: file,
    ...(first && { fix: `its decisions are ${first.id} to ${decisions.at(-1)?.id ?? first.id}` }),
  });
}

/**
 * Returns the settings with the changes.
 *
 * @param settings - undefined for the defaults
 * @throws CliError - `bad-value`: there is no such field, or the value is not allowed
 */
function changeSettings(settings: DecisionSettings | undefined, changes: readonly SettingChange[]): DecisionSettings {
  return changes.reduce((current, change) => changeSetting(current, change), settings ?? DEFAULT_SETTINGS);
}

function changeSetting(settings: DecisionSettings, { field, value }: SettingChange): DecisionSettings {
  const [head = '', inner] = field.split('.');
  const group: unknown = Object.entries(settings).find(([name]) => name === head)?.[1];
  const isGroup = typeof group === 'object' && group !== null && !Array.isArray(group);
  const isNamed = inner === undefined ? !isGroup : isGroup && Object.hasOwn(group, inner);
  if (!isNamed || !SETTABLE.includes(head)) throw unknownField(field, settings);

  const parsed = decisionSettingsSchema.safeParse({
    ...settings,
    [head]: isGroup && inner !== undefined ? { ...group, [inner]: toValue(value) } : toValue(value),
  });
  if (parsed.success) return parsed.data;
  throw fail({
    code: 'bad-value',
    what: `${field} cannot be ${value}`,
    where: '--set',
    why: whyRefused(parsed.error.issues[0]),
  });
}

function whyRefused(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'invalid_type') return `it must be of the type ${issue.expected}`;
  if (issue?.code === 'invalid_value') return `allowed are ${issue.values.join(', ')}`;
  if (issue?.code === 'too_small') return `it must be at least ${issue.minimum}`;
  return issue?.code === 'invalid_union'
    ? 'allowed are a number of 0 or more, and Any'
    : (issue?.message ?? 'the value is not allowed');
}

const SETTABLE: readonly string[] = [
  'gates',
  'preferencePolicy',
  'minValuesPolicy',
  'ignoreDraRequests',
  'perNodeHourlyUsd',
  'consolidationPaybackMs',
  'evictionCostUsd',
  'rankedEvictionCostUsd',
  'growthWindowMs',
  'steerPods',
  'surplusNodes',
  'rebalancePolicy',
  'sizes',
];

/** Numbers and booleans are written as in JSON; everything else is text. */
const toValue = (text: string): unknown => (/^(?:true|false|-?\d+(?:\.\d+)?)$/.test(text) ? JSON.parse(text) : text);

function unknownField(field: string, { gates, sizes }: DecisionSettings) {
  const fields = SETTABLE.filter((name) => name !== 'gates' && name !== 'sizes');
  const groups = Object.entries({ gates, sizes }).flatMap(([group, members]) =>
    Object.keys(members).map((name) => `${group}.${name}`),
  );
  return fail({
    code: 'bad-value',
    what: `there is no setting ${field}`,
    where: '--set',
    fix: [...fields, ...groups].join(', '),
  });
}
