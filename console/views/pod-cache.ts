import type { Pod } from '../../shared/model/pods/pod.ts';
import type { PodView } from '../views.ts';
import { podView } from './pod-view.ts';

/** Caches pod views, so that 30,000 of them are not created ten times a second. */
export interface PodCache {
  /** Returns the same object as before if pod and nodes did not change. */
  view(pod: Pod, node: string | undefined, nominated: string | undefined): PodView;
}

export function podCache(): PodCache {
  const views = new WeakMap<Pod, PodView>();
  return {
    view(pod, node, nominated) {
      const known = views.get(pod);
      if (known && known.node === node && known.nominated === nominated) return known;
      const view = podView(pod, node, nominated);
      views.set(pod, view);
      return view;
    },
  };
}
