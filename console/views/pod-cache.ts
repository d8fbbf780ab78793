import type { Pod } from '../../shared/model/pods/pod.ts';
import type { PodView } from '../views.ts';
import { podView } from './pod-view.ts';

/** Views of pods that did not change: thirty thousand are not made anew ten times a second. */
export interface PodCache {
  /** The same object as before while pod and places are the same. */
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
