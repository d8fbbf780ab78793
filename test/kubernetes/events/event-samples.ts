import type { ClusterEvent } from '../../../shared/model/explanations/events.ts';
import type { NodeVerdict } from '../../../shared/model/plans.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import type { Decision } from '../../../shared/ports/decision-log.ts';
import { NOON } from '../../support/builders.ts';

export const POD = 'default/web-1';
export const pending: Extract<ClusterEvent, { readonly kind: 'unplaced' }> = {
  kind: 'unplaced',
  at: NOON,
  pods: [POD],
  text: 'no pool fits',
};
export const interruption: ClusterEvent = {
  kind: 'interruption',
  at: NOON,
  claim: 'general-1',
  deadline: NOON + 2 * MINUTE_MS,
};

export const staying = (code: NodeVerdict['reason']['code'], fields = {}): Decision => ({
  kind: 'disruption',
  id: 'd-1',
  at: NOON,
  plan: { verdicts: [{ claim: 'general-1', outcome: 'stays', reason: { code, fields } }] },
});
