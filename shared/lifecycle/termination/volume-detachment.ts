import { formatFirst } from '../../model/explanations/phrases.ts';
import { isDrainable } from '../../model/pods/disruption-pods.ts';
import type { Pod } from '../../model/pods/pod.ts';
import type { AttachedVolume } from '../../model/pods/storage.ts';
import type { EpochMs } from '../../model/time.ts';

/** Maximum number of volumes listed by name. */
const MAX_NAMES = 5;

/**
 * Volumes that must be detached from a drained node before its instance ends; otherwise they could
 * not be attached elsewhere for minutes. Volumes of pods that stay on the node are excluded.
 */
export function findBlockingVolumes(
  volumes: readonly AttachedVolume[],
  pods: readonly Pod[],
  now: EpochMs,
): readonly AttachedVolume[] {
  const staying = new Set(
    pods
      .filter((pod) => !isDrainable(pod, now))
      .flatMap(({ namespace, spec }) => spec.volumeClaims.map((name) => `${namespace}/${name}`)),
  );
  return volumes.filter(({ claim }) => claim === undefined || !staying.has(claim));
}

/** Names such as `a, b, c, d, e and 3 more`. */
export const formatVolumeNames = (volumes: readonly AttachedVolume[]): string =>
  formatFirst(
    volumes.map(({ name }) => name),
    MAX_NAMES,
  );
