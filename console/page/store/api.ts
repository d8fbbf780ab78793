import type { Explanation } from '../../explanation.ts';
import type { CostView, PoolsView } from '../../screen-views.ts';
import type { Keyframe, ObjectRef, SeriesView, TimelineView } from '../../views.ts';

const token = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="mortise-token"]')?.content ?? '';

/** Page and server are one build, so the answer has the type that both were compiled with. */
async function get<T>(path: string): Promise<T | undefined> {
  const response = await fetch(path);
  return response.ok ? ((await response.json()) as T) : undefined;
}

export async function getSeries(): Promise<SeriesView> {
  return (await get<SeriesView>('/api/series')) ?? { points: [], marks: [] };
}

/** Undefined if there never was such an object. */
export const getExplanation = (
  { kind, name }: ObjectRef,
  at?: number,
): Promise<Explanation | undefined> =>
  get(`/api/explain/${kind}/${name.split('/').map(encodeURIComponent).join('/')}${asOf(at)}`);

/** @param at - a moment of the past; undefined for now */
export const getState = (at?: number): Promise<Keyframe | undefined> =>
  get(`/api/state${asOf(at)}`);

/** The history until now. */
export async function getTimeline(windowMs: number): Promise<TimelineView | undefined> {
  return await get(`/api/timeline?last=${windowMs}`);
}

/** @param at - a moment of the past; undefined for now */
export const getCost = (at?: number): Promise<CostView | undefined> => get(`/api/cost${asOf(at)}`);

/** @param at - a moment of the past; undefined for now */
export const getPools = (at?: number): Promise<PoolsView | undefined> =>
  get(`/api/pools${asOf(at)}`);

const asOf = (at: number | undefined): string => (at === undefined ? '' : `?at=${at}`);

export type PlayResult =
  | { readonly outcome: 'done' }
  | { readonly outcome: 'refused'; readonly why: string };

/** Sends an action to the playground; its result shows in the feed. */
export async function postPlay(
  action: 'clock' | 'scale' | 'interrupt' | 'shortage' | 'demo',
  request: object,
): Promise<PlayResult> {
  const response = await fetch(`/api/play/${action}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-mortise-token': token() },
    body: JSON.stringify(request),
  });
  if (response.ok) return { outcome: 'done' };
  const { what } = (await response.json()) as { readonly what?: string };
  return { outcome: 'refused', why: what ?? 'The playground did not answer.' };
}
