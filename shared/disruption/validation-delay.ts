import type { DisruptionCommand } from '../model/plans.ts';
import { SECOND_MS } from '../model/time.ts';

/**
 * Pods that were about to move have moved by then, so an equal plan is no accident. Karpenter waits
 * as long.
 */
export const VALIDATION_DELAY_MS = 15 * SECOND_MS;

/**
 * Drift and faults do not go away, so they need no second look. Whether a node is needed can change with the
 * next pod.
 */
export const needsValidation = ({ reason }: DisruptionCommand): boolean =>
  reason !== 'Drifted' && reason !== 'Unhealthy';
