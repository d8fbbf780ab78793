import { isActive } from '../../../shared/model/pods/disruption-pods.ts';
import { type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { type ApiServer, terminatePod, workloadKey } from '../../../shared/simulation/control-plane/api-server.ts';
import type { OpenWorld } from '../../../shared/simulation/create-world.ts';
import { withTemplateHash } from '../../../shared/simulation/workloads/workload-owner.ts';
import { aJob, aPodSpec, aPodTemplate, resources } from '../../support/builders.ts';
import { type BenchmarkRandom, createBenchmarkRandom } from '../inputs/seeded-random.ts';
import { ON_SPOT, type WaveDeployment, type WeekCluster, type WeekSettings } from './week-cluster.ts';

/** Scheduled changes, in the order of the week. */
interface WeekClock {
  now(): EpochMs;
  schedule(at: EpochMs, work: () => void): void;
}

/** How often an autoscaler of pods looks at a Deployment. */
const SCALE_EVERY_MS = 30 * MINUTE_MS;
const BURSTS_PER_DAY = 6;
const ROLLING_UPDATES_PER_DAY = 3;
/** Share of a Deployment's pods that a rolling update replaces at a time, and the pause after. */
const ROLLING_SHARE = 0.25;
const ROLLING_PAUSE_MS = 40 * SECOND_MS;

/** Plays the week: waves of the day, bursts of Jobs, and rolling updates. */
export function playWeek(
  { world: { clock }, api }: OpenWorld,
  { waves }: WeekCluster,
  settings: WeekSettings,
  until: EpochMs,
): void {
  const random = createBenchmarkRandom(settings.seed + 1);
  for (const [index, wave] of waves.entries()) followTheDay(clock, api, wave, index, random);
  const days = Math.ceil((until - clock.now()) / (24 * HOUR_MS));
  const begin = clock.now();
  for (let day = 0; day < days; day++) {
    const at = (): EpochMs => begin + (day * 24 + random.below(24 * 60) / 60) * HOUR_MS;
    for (let burst = 0; burst < BURSTS_PER_DAY; burst++) {
      const number = day * BURSTS_PER_DAY + burst;
      clock.schedule(at(), () => startBurst(api, settings, number, random));
    }
    for (let update = 0; update < ROLLING_UPDATES_PER_DAY; update++) {
      const wave = waves[random.below(waves.length)];
      if (wave) clock.schedule(at(), () => startRollingUpdate(clock, api, wave));
    }
  }
}

/** Sets the replicas twice an hour: a wave over the day, lower at weekends, with some noise. */
function followTheDay(
  clock: WeekClock,
  api: ApiServer,
  { deployment, peakReplicas }: WaveDeployment,
  index: number,
  random: BenchmarkRandom,
): void {
  const key = workloadKey(deployment);
  const scale = (): void => {
    const current = api.workloads.get(key);
    if (current?.kind !== 'Deployment') return;
    const noise = 0.95 + random.below(11) / 100;
    const replicas = Math.max(2, Math.round(peakReplicas * computeDemand(clock.now()) * noise));
    if (current.replicas !== replicas) api.workloads.put(key, { ...current, replicas });
    clock.schedule(clock.now() + SCALE_EVERY_MS, scale);
  };
  clock.schedule(clock.now() + ((index * 7 * MINUTE_MS) % SCALE_EVERY_MS), scale);
}

/** Between 0.35 at four in the morning and 1 at four in the afternoon; less at weekends. */
function computeDemand(now: EpochMs): number {
  const hour = (now / HOUR_MS) % 24;
  const wave = 0.675 - 0.325 * Math.cos(((hour - 4) / 24) * 2 * Math.PI);
  const weekday = new Date(now).getUTCDay();
  return weekday === 0 || weekday === 6 ? wave * 0.7 : wave;
}

/** A Job on spot nodes, of up to a tenth of the cluster. */
function startBurst(api: ApiServer, { seed, peakNodes }: WeekSettings, number: number, random: BenchmarkRandom): void {
  const name = `burst-${number}`;
  const parallelism = Math.max(4, random.below(Math.round(peakNodes * 1.2)));
  const spec = aPodSpec({ requests: resources(1, 2, { pods: 1 }), ...ON_SPOT });
  const job = aJob({
    name,
    completions: parallelism * 2,
    parallelism,
    runForMs: (5 + random.below(20)) * MINUTE_MS,
    template: aPodTemplate({ labels: { app: name }, spec }),
  });
  api.workloads.put(workloadKey(job), withTemplateHash(seed, job));
}

/** Replaces all pods that run now, a quarter at a time. */
function startRollingUpdate(clock: WeekClock, api: ApiServer, { deployment }: WaveDeployment): void {
  const old = api.pods
    .list()
    .filter((pod) => pod.labels.app === deployment.name && isActive(pod))
    .map(({ uid }) => uid);
  const step = Math.max(1, Math.ceil(old.length * ROLLING_SHARE));
  for (let from = 0; from < old.length; from += step) {
    const uids = new Set(old.slice(from, from + step));
    clock.schedule(clock.now() + (from / step) * ROLLING_PAUSE_MS, () => {
      for (const pod of api.pods.list()) {
        if (!uids.has(pod.uid) || !isActive(pod)) continue;
        terminatePod(api.pods, pod, clock.now(), pod.spec.terminationGracePeriodMs);
      }
    });
  }
}
