import { formatTime, plural } from '../../format.ts';
import type { PageState } from '../store/page-store.ts';
import { usePage } from '../store/use-page.ts';

/** Cluster and state in the title of the browser's tab. */
export function PageTitle() {
  const title = usePage(toTitle);
  return <title>{title}</title>;
}

/** `shop: 3 pods pending · Mortise`. */
function toTitle({ model, contact, clock, shownAt }: PageState): string {
  if (!model) return 'Mortise';
  return `${model.info.cluster}: ${describeState()} · Mortise`;

  function describeState(): string {
    if (contact.state === 'lost') return 'no contact';
    if (clock?.lostSince !== undefined) return 'API server unreachable';
    if (shownAt !== undefined) return `at ${formatTime(shownAt)}`;
    const { pendingPods = 0, runningPods = 0 } = model?.totals ?? {};
    return pendingPods > 0 ? `${plural(pendingPods, 'pod')} pending` : `${plural(runningPods, 'pod')} running`;
  }
}
