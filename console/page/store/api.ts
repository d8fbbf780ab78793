import type {
  CostGrouping,
  CostHistoryView,
  CostView,
  ExplanationView,
  PoolsView,
  WhatIfOptions,
  WhatIfRequest,
  WhatIfView,
} from '../../screen-views.ts';
import type { SeriesView, TimelineView } from '../../timeline-views.ts';
import type { DecisionView, Keyframe, ObjectRef } from '../../views.ts';

const token = (): string => document.querySelector<HTMLMetaElement>('meta[name="mortise-token"]')?.content ?? '';

/** Page and server are one build, so the answer has the type that both were compiled with. */
async function get<T>(path: string): Promise<T | undefined> {
  const response = await fetch(path);
  return response.ok ? ((await response.json()) as T) : undefined;
}

export const getSeries = (): Promise<SeriesView | undefined> => get('/api/series');

/** Undefined if there never was such an object. */
export const getExplanation = ({ kind, name }: ObjectRef, at?: number): Promise<ExplanationView | undefined> =>
  get(`/api/explain/${kind}/${name.split('/').map(encodeURIComponent).join('/')}${asOf(at)}`);

/** @param at - a moment of the past; undefined for now */
export const getState = (at?: number): Promise<Keyframe | undefined> => get(`/api/state${asOf(at)}`);

/** The decisions between two moments, oldest first, as far as the server still has them. */
export const getDecisions = (from: number, to: number): Promise<readonly DecisionView[] | undefined> =>
  get(`/api/decisions?from=${from}&to=${to}`);

/** The last `windowMs` of the history. */
export const getTimeline = (windowMs: number): Promise<TimelineView | undefined> =>
  get(`/api/timeline?last=${windowMs}`);

/** @param at - a moment of the past; undefined for now */
export const getCost = (at?: number): Promise<CostView | undefined> => get(`/api/cost${asOf(at)}`);

/** The cost of the last `windowMs` by a grouping. */
export const getCostHistory = (by: CostGrouping, windowMs: number): Promise<CostHistoryView | undefined> =>
  get(`/api/series?by=${by}&last=${windowMs}`);

/** @param at - a moment of the past; undefined for now */
export const getPools = (at?: number): Promise<PoolsView | undefined> => get(`/api/pools${asOf(at)}`);

/** @param at - a moment of the past; undefined for now */
export const getWhatIfOptions = (at?: number): Promise<WhatIfOptions | undefined> => get(`/api/what-if${asOf(at)}`);

export type WhatIfAnswer = WhatIfView | { readonly outcome: 'failed'; readonly why: string };

/**
 * Plans a changed copy of a snapshot.
 *
 * @param at - the moment of the snapshot; undefined for now
 */
export async function postWhatIf(request: WhatIfRequest, at?: number): Promise<WhatIfAnswer> {
  const response = await post(`/api/what-if${asOf(at)}`, request);
  if (response.ok) return (await response.json()) as WhatIfView;
  return { outcome: 'failed', why: await whyRefused(response) };
}

export type PlayResult = { readonly outcome: 'done' } | { readonly outcome: 'refused'; readonly why: string };

type PlayAction =
  | 'clock'
  | 'step'
  | 'scale'
  | 'interrupt'
  | 'shortage'
  | 'drift'
  | 'zone'
  | 'spot-prices'
  | 'demo'
  | 'reset';

/** The path of the file that the browser downloads as a snapshot of the playground. */
export const SNAPSHOT_PATH = '/api/snapshot';

/** Sends an action to the playground; its result shows in the feed. */
export async function postPlay(action: PlayAction, request: object): Promise<PlayResult> {
  const response = await post(`/api/play/${action}`, request);
  if (response.ok) return { outcome: 'done' };
  return { outcome: 'refused', why: await whyRefused(response) };
}

const asOf = (at: number | undefined): string => (at === undefined ? '' : `?at=${at}`);

const post = (path: string, request: object): Promise<Response> =>
  fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-mortise-token': token() },
    body: JSON.stringify(request),
  });

async function whyRefused(response: Response): Promise<string> {
  const { what } = (await response.json()) as { readonly what?: string };
  return what ?? 'The server did not answer.';
}
