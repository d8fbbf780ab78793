import { isDrainable } from '../../model/pods/disruption-pods.ts';
import type { Pod } from '../../model/pods/pod.ts';
import type { AttachedVolume } from '../../model/pods/storage.ts';
import type { EpochMs } from '../../model/time.ts';

/** So many are named, the others counted. */
const MAX_NAMES = 5;

/**
 * Volumes that have to leave a drained node before its instance goes, or they could not be attached
 * elsewhere for minutes. Those of pods that stay on it to the end go with them.
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

/** `a, b, c, d, e and 3 more`. */
export function formatVolumeNames(volumes: readonly AttachedVolume[]): string {
  const names = volumes.map(({ name }) => name);
  const unlisted = names.length - MAX_NAMES;
  const listed = names.slice(0, MAX_NAMES).join(', ');
  return unlisted > 0 ? `${listed} and ${unlisted} more` : listed;
}
