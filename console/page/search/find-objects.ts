import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { formatTime, plural } from '../../format.ts';
import type { DecisionView, NodeView, ObjectRef, PodView } from '../../views.ts';
import type { ClusterModel } from '../store/cluster-model.ts';

export interface Finding {
  readonly id: string;
  readonly name: string;
  /** Distinguishes objects with similar names. */
  readonly about: string;
  readonly target: Target;
}

/** The object that the finding opens, or the moment that it shows. */
export type Target =
  | { readonly kind: 'object'; readonly object: ObjectRef }
  | { readonly kind: 'moment'; readonly at: number };

export interface Findings {
  readonly shown: readonly Finding[];
  /** The number of others that match. */
  readonly more: number;
}

export interface Searched {
  readonly model: ClusterModel | undefined;
  readonly decisions: readonly DecisionView[];
  readonly pools: readonly string[];
  /** The time of the cluster. */
  readonly now: number;
}

/** As many as fit without scrolling. */
const MAX_SHOWN = 8;
const NOTHING: Findings = { shown: [], more: 0 };

/**
 * Finds NodePools, workloads, nodes, pods and decisions that contain every word, and a time of day.
 * Those that start with the first word come before the others.
 */
export function findObjects(searched: Searched, text: string): Findings {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const [start] = words;
  if (start === undefined) return NOTHING;

  const all = [...findMoment(start, searched.now), ...listCandidates(searched)]
    .filter(({ words: own }) => words.every((word) => own.includes(word)))
    .map(({ finding }) => finding);
  const sorted = all.toSorted((a, b) => rankOf(a, start) - rankOf(b, start));
  return { shown: sorted.slice(0, MAX_SHOWN), more: Math.max(0, sorted.length - MAX_SHOWN) };
}

const rankOf = ({ name }: Finding, start: string): number => (name.startsWith(start) ? 0 : 1);

interface Candidate {
  readonly finding: Finding;
  /** In lower case. */
  readonly words: string;
}

function listCandidates({ model, decisions, pools }: Searched): readonly Candidate[] {
  const pods = [...(model?.pods.values() ?? [])];
  return [
    ...pools.map(toPool),
    ...listWorkloads(pods),
    ...[...(model?.nodes.values() ?? [])].map(({ node }) => toNode(node)),
    ...pods.map(toPod),
    ...decisions.toReversed().map(toDecision),
  ];
}

const toCandidate = (object: ObjectRef, about: string, words = object.name): Candidate => ({
  words: words.toLowerCase(),
  finding: {
    id: `${object.kind}/${object.name}`,
    name: object.name,
    about,
    target: { kind: 'object', object },
  },
});

const toPool = (name: string): Candidate => toCandidate({ kind: 'nodepool', name }, 'NodePool');

const toNode = ({ name, node, instanceType, zone, pool }: NodeView): Candidate =>
  toCandidate(
    { kind: 'node', name },
    `${instanceType} in ${zone}`,
    [name, node, instanceType, zone, pool].filter(Boolean).join(' '),
  );

const toPod = ({ key, node, nominated }: PodView): Candidate =>
  toCandidate({ kind: 'pod', name: key }, node ?? (nominated === undefined ? 'pending' : `pending, for ${nominated}`));

/** A workload opens the pod that waits longest, or its first one. */
function listWorkloads(pods: readonly PodView[]): readonly Candidate[] {
  const groups = Map.groupBy(pods, ({ namespace, workload }) => `${namespace}/${workload}`);
  return [...groups].flatMap(([name, members]): Candidate[] => {
    const waiting = members.filter(({ state }) => state === 'pending');
    const [first] = [...waiting.toSorted((a, b) => a.since - b.since), ...members];
    // The only pod of that name says the same.
    if (!first || (members.length === 1 && first.key === name)) return [];
    const pending = waiting.length > 0 ? `, ${waiting.length} pending` : '';
    const about = `workload of ${plural(members.length, 'pod')}${pending}`;
    const object: ObjectRef = { kind: 'pod', name: first.key };
    const finding: Finding = {
      ...{ id: `workload/${name}`, name, about },
      target: { kind: 'object', object },
    };
    return [{ words: name.toLowerCase(), finding }];
  });
}

function toDecision({ id, at, text }: DecisionView): Candidate {
  const { words, finding } = toCandidate({ kind: 'decision', name: id }, text, `${formatTime(at)} ${id} ${text}`);
  return { words, finding: { ...finding, name: formatTime(at) } };
}

const TIME = /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/;

/** The newest moment at this time of day (UTC). */
function findMoment(word: string, now: number): readonly Candidate[] {
  const [, hours, minutes, seconds = '0'] = TIME.exec(word) ?? [];
  if (hours === undefined || minutes === undefined) return [];
  const ofDay = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS + Number(seconds) * SECOND_MS;
  const today = Math.floor(now / DAY_MS) * DAY_MS + ofDay;
  const at = today > now ? today - DAY_MS : today;
  const name = formatTime(at);
  const about = 'show the cluster at this time';
  return [{ words: word, finding: { id: `at/${at}`, name, about, target: { kind: 'moment', at } } }];
}
